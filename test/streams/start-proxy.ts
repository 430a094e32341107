import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

export interface Proxy {
  readonly url: string;
  /**
   * Breaks the connection in place of the next answer: the request was carried out. Resolves when
   * it is broken.
   */
  cutNextAnswer(): Promise<void>;
  /** Ends every connection as a server does that stops: what was sent to it still arrives. */
  endConnections(): void;
  close(): Promise<void>;
}

/** A line to a Redis that can be made to break. */
export async function startProxy(url: string): Promise<Proxy> {
  const { hostname, port } = new URL(url);
  const sockets = new Set<Socket>();
  const accepted = new Set<Socket>();
  let cut: (() => void) | undefined;
  const server = createServer((near) => {
    const far = connect(Number(port), hostname);
    accepted.add(near);
    near.on('close', () => accepted.delete(near));
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        sockets.delete(socket);
        near.destroy();
        far.destroy();
      });
    }
    near.pipe(far);
    far.on('data', (answer) => {
      if (cut === undefined) {
        near.write(answer);
        return;
      }
      near.destroy();
      cut();
      cut = undefined;
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `redis://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cutNextAnswer: () =>
      new Promise((resolve) => {
        cut = resolve;
      }),
    endConnections: () => {
      for (const socket of accepted) socket.end();
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
