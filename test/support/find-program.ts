import { accessSync, constants } from 'node:fs';
import { delimiter, resolve } from 'node:path';

/**
 * The path of an installed program that tests need, from PATH or the other folders. Where it is
 * not installed: `undefined`, so that its tests are skipped, but in CI an error, so that none is
 * skipped there unseen.
 */
export function findProgram(
  name: string,
  install: string,
  otherFolders: readonly string[] = [],
): string | undefined {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), ...otherFolders];
  const found = folders.map((folder) => resolve(folder, name)).find(isExecutable);
  if (found !== undefined) return found;
  const message = `"${name}" is not installed: ${install}`;
  if (process.env['CI'] !== undefined) throw new Error(message);
  console.warn(`${message}; tests that need it are skipped`);
  return undefined;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
