import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type EmbeddedServer,
  startEmbeddedServer,
} from '../src/embedded-server/embedded-server.ts';

/** Starts an embedded server for a measurement, and removes what it kept. */
export async function onServer(
  withDefaults: boolean,
  use: (server: EmbeddedServer) => Promise<void>,
): Promise<void> {
  const dataDirectory = await mkdtemp(join(tmpdir(), 'perdure-bench-server-'));
  const server = await startEmbeddedServer({ dataDirectory, headless: true, withDefaults });
  try {
    await use(server);
  } finally {
    await server.stop();
    await rm(dataDirectory, { recursive: true, force: true });
  }
}
