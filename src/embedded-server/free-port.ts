import { createServer } from 'node:net';

/** Where the embedded server listens: this machine only. */
export const LOOPBACK = '127.0.0.1';

/** A port that nothing listens on, chosen by the system. */
export async function freePort(): Promise<number> {
  return listenOnce(0);
}

/**
 * Resolves when the port can be had.
 * @throws {PortInUse}
 */
export async function expectFreePort(port: number, purpose: string): Promise<void> {
  try {
    await listenOnce(port);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE') {
      throw new PortInUse(port, purpose);
    }
    throw error;
  }
}

/** Another program listens where the embedded server should. */
export class PortInUse extends Error {
  override readonly name = 'PortInUse';
  readonly port: number;

  constructor(port: number, purpose: string) {
    super(
      `port ${port} (${purpose}) is in use by another program: stop that one, or choose another port`,
    );
    this.port = port;
  }
}

function listenOnce(port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen({ port, host: LOOPBACK, exclusive: true }, () => {
      const address = server.address();
      const chosen = typeof address === 'object' && address !== null ? address.port : port;
      server.close(() => resolve(chosen));
    });
  });
}
