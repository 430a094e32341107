import { connect } from 'node:net';

const ANSWER_TIMEOUT_MS = 2_000;

/** Whether something takes connections at `host:port`. */
export function answers(address: string): Promise<boolean> {
  const { hostname, port } = new URL(`tcp://${address}`);
  return new Promise((resolve) => {
    const socket = connect({ host: hostname, port: Number(port) });
    const settle = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    socket.setTimeout(ANSWER_TIMEOUT_MS, () => settle(false));
    socket.once('connect', () => settle(true));
    socket.once('error', () => settle(false));
  });
}
