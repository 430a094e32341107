import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';

const PATIENCE_MS = 30_000;
const AGAIN_AFTER_MS = 50;

/** Asks until the server answers; one that ends or takes 30 seconds is stopped, and fails. */
export async function untilReady(
  server: ChildProcess,
  stop: () => Promise<void>,
  ask: () => Promise<void>,
): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS;
  for (;;) {
    try {
      await ask();
      return;
    } catch (error) {
      if (!hasEnded(server) && Date.now() < deadline) {
        await new Promise((resolve) => setTimeout(resolve, AGAIN_AFTER_MS));
        continue;
      }
      await stop();
      throw new Error(`the server ${server.spawnfile} did not start`, { cause: error });
    }
  }
}

export async function stopProcess(server: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (hasEnded(server)) return;
  const ended = once(server, 'exit');
  server.kill(signal);
  await ended;
}

function hasEnded(server: ChildProcess): boolean {
  return server.exitCode !== null || server.signalCode !== null;
}
