import { access, constants } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';

/** Where this user's fetched programs are kept, between projects. */
export function userCacheDirectory(): string {
  const base =
    process.env['XDG_CACHE_HOME'] ||
    (process.platform === 'darwin'
      ? join(homedir(), 'Library', 'Caches')
      : join(homedir(), '.cache'));
  return join(base, 'perdure');
}

/**
 * The absolute path of a program on PATH.
 * @throws {Error} when no folder of PATH has it.
 */
export async function executableOnPath(name: string): Promise<string> {
  const names = process.platform === 'win32' ? [`${name}.exe`] : [name];
  for (const folder of (process.env['PATH'] ?? '').split(delimiter)) {
    for (const candidate of names.map((file) => join(folder, file))) {
      if (folder !== '' && (await isExecutable(candidate))) return candidate;
    }
  }
  throw new Error('not there');
}

async function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}
