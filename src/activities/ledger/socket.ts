import { chmodSync } from 'node:fs';
import { createConnection, createServer } from 'node:net';
import { socketAddress } from './ledger-directory.ts';

/** Longer than a connection on one host can take, short enough for a sweep. */
const PROBE_TIMEOUT_MS = 1_000;

export interface LifeSign {
  close(): Promise<void>;
}

/** Listens so that others can see that this process lives. Does not hold the process open. */
export async function showLife(directory: string, name: string): Promise<LifeSign> {
  const address = socketAddress(directory, name);
  const server = createServer((connection) => {
    connection.on('error', () => {});
    connection.destroy();
  });
  server.unref();
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(address.path, resolve);
    });
    chmodSync(address.path, 0o600);
  } catch (error) {
    address.release();
    throw error;
  }
  server.on('error', () => {});
  return {
    close: async () => {
      await new Promise((resolve) => server.close(resolve));
      address.release();
    },
  };
}

/**
 * Whether the process that listens on a socket is dead. Only a refused connection or a socket that
 * is gone proves it: a stopped process still accepts until its backlog is full (EAGAIN), and what
 * this process may not look at (EACCES) is not judged.
 */
export async function isSilent(directory: string, name: string): Promise<boolean> {
  const address = socketAddress(directory, name);
  try {
    return await new Promise<boolean>((resolve) => {
      const connection = createConnection(address.path);
      connection.setTimeout(PROBE_TIMEOUT_MS);
      const settle = (silent: boolean) => {
        resolve(silent);
        connection.destroy();
      };
      connection.once('connect', () => settle(false));
      connection.once('timeout', () => settle(false));
      connection.on('error', (error: NodeJS.ErrnoException) =>
        settle(error.code === 'ECONNREFUSED' || error.code === 'ENOENT'),
      );
    });
  } finally {
    address.release();
  }
}
