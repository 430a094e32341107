import { chmodSync, closeSync, constants, lstatSync, mkdirSync, openSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { isAbsolute, join } from 'node:path';

/** `sun_path` holds 104 bytes on macOS and 108 on Linux. */
const MAXIMUM_SOCKET_PATH_BYTES = 100;

export const LEDGER_SUFFIX = '.ledger';
export const CLAIM_SUFFIX = '.claim';
export const SOCKET_SUFFIX = '.sock';
export const TEMPORARY_SUFFIX = '.tmp';

/** Makes a directory that only this user may read and write, or throws saying why it is none. */
export function privateDirectory(path: string): void {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  const facts = lstatSync(path);
  if (!facts.isDirectory()) throw new Error(`expected a directory at ${path}`);
  if (facts.uid !== process.getuid?.()) {
    throw new Error(
      `expected a directory of this process's user at ${path}; user ${facts.uid} owns it`,
    );
  }
  if ((facts.mode & 0o077) !== 0) chmodSync(path, 0o700);
}

/**
 * The name under which a ledger keeps its socket: beside the ledger, or, where paths must be short
 * and Linux's way around is missing, in a private directory of the user's.
 */
export function socketNameFor(directory: string, id: string): string {
  const name = `${id}${SOCKET_SUFFIX}`;
  if (fits(join(directory, name)) || process.platform === 'linux') return name;
  const short = join(tmpdir(), `perdure-${process.getuid?.() ?? 0}`);
  privateDirectory(short);
  return join(short, name);
}

/** An address under which the system finds a ledger's socket until it is released. */
export interface SocketAddress {
  readonly path: string;
  release(): void;
}

/**
 * On Linux a long path is shortened through an open directory, so that the socket always lies
 * beside its ledger: a process that shares the directory but not `/tmp` must not take a socket that
 * it cannot see for one that is gone.
 */
export function socketAddress(directory: string, name: string): SocketAddress {
  const path = isAbsolute(name) ? name : join(directory, name);
  if (fits(path) || process.platform !== 'linux') return { path, release: () => {} };
  const descriptor = openSync(directory, constants.O_RDONLY | constants.O_DIRECTORY);
  return {
    path: `/proc/self/fd/${descriptor}/${name}`,
    release: () => closeSync(descriptor),
  };
}

function fits(path: string): boolean {
  return Buffer.byteLength(path) < MAXIMUM_SOCKET_PATH_BYTES;
}
