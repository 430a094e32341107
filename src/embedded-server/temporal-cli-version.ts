import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** The CLI that we fetch when the machine has none. */
export const PINNED_CLI_VERSION = '1.9.1';

/** Older servers lack update-with-start, user metadata and the search attributes as we use them. */
const OLDEST_SERVER = [1, 30] as const;

const VERSION_TIMEOUT_MS = 20_000;

/** A `temporal` executable that was run once and said which versions it has. */
export interface TemporalCli {
  /** Absolute path. */
  readonly path: string;
  readonly cliVersion: string;
  readonly serverVersion: string;
}

/**
 * Runs `temporal --version`.
 * @throws {Error} when it cannot be run, prints something else, or holds a server that is too old.
 */
export async function checkTemporalCli(path: string): Promise<TemporalCli> {
  const { stdout } = await promisify(execFile)(path, ['--version'], {
    timeout: VERSION_TIMEOUT_MS,
  });
  const found = /version (\S+) \(Server (\d+)\.(\d+)\.(\d+)/.exec(stdout);
  if (found === null) {
    throw new Error(
      `expected "temporal version … (Server …)" from ${path} --version, got "${stdout.trim().slice(0, 200)}"`,
    );
  }
  const [, cliVersion = '', major, minor, patch] = found;
  const serverVersion = `${major}.${minor}.${patch}`;
  const [oldestMajor, oldestMinor] = OLDEST_SERVER;
  const isOld =
    Number(major) < oldestMajor || (Number(major) === oldestMajor && Number(minor) < oldestMinor);
  if (isOld) {
    throw new Error(
      `${path} has server ${serverVersion}, expected ${oldestMajor}.${oldestMinor} or newer: update the Temporal CLI`,
    );
  }
  return { path, cliVersion, serverVersion };
}
