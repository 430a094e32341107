import { execFileSync } from 'node:child_process';
import { readFileSync, readlinkSync } from 'node:fs';

/** A text that is the same for all processes of one boot of this host; throws where none is known. */
export function bootId(): string {
  if (process.platform === 'linux') {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  }
  // kern.boottime moves when the clock is set; the session's id does not.
  return execFileSync('sysctl', ['-n', 'kern.bootsessionuuid'], { encoding: 'utf8' }).trim();
}

/** Names the set of process ids that this process sees. Two containers see different ones. */
export function pidNamespace(): string {
  if (process.platform !== 'linux') return 'host';
  return readlinkSync('/proc/self/ns/pid');
}
