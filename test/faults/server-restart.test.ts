import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest';
import { PerdureClient } from '../../src/client/index.ts';
import {
  type EmbeddedServer,
  startEmbeddedServer,
} from '../../src/embedded-server/embedded-server.ts';
import { type CountingService, startCountingService } from '../support/counting-service.ts';
import { forkWorker, type WorkerProcess } from '../support/fork-worker.ts';

const fixture = new URL('acting.fixture.ts', import.meta.url);

let directory: string;
let server: EmbeddedServer;
let service: CountingService;
let client: PerdureClient;
let worker: WorkerProcess;
const port = () => Number(server.address.split(':')[1]);

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'perdure-restart-'));
  server = await startEmbeddedServer({ dataDirectory: directory, headless: true });
  service = await startCountingService();
  const taskQueue = `restart-${randomUUID()}`;
  client = await PerdureClient.connect({ address: server.address, taskQueue });
  worker = await forkWorker(
    {
      fixture,
      taskQueue,
      dataDirectory: join(directory, 'worker'),
      options: { url: service.url, toolMs: 2_500 },
    },
    {
      address: server.address,
      workflowBundlePath: inject('workflowBundlePath'),
      compiledPath: inject('compiledPath'),
    },
  );
});

afterEach(async () => {
  await worker.kill();
  await client.close();
  await service.close();
  await server.stop();
  await rm(directory, { recursive: true, force: true });
});

describe('a server that is restarted with its database kept', () => {
  test.each(['stopped', 'killed'] as const)(
    'inside a tool that acts once (%s): it acts once, and the conversation ends as if nothing was',
    async (how) => {
      const conversation = await client.start('payer', { message: 'act' });
      await service.until('pay began', 1);
      const { address } = server;
      if (how === 'killed') process.kill(server.pid, 'SIGKILL');
      else await server.stop();
      await server.ended;
      server = await startEmbeddedServer({
        dataDirectory: directory,
        headless: true,
        port: Number(address.split(':')[1]),
      });
      expect(port()).toBe(Number(address.split(':')[1]));
      const again = await PerdureClient.connect({ address, taskQueue: client.taskQueue });
      expect(await again.handle(conversation.id).result()).toMatchObject({ text: 'Done.' });
      const { calls } = await again.handle(conversation.id).record();
      await again.close();
      expect(calls.map(({ result }) => result?.outcome)).toEqual(['ok']);
      expect(service.of('pay began')).toHaveLength(1);
      expect(service.of('pay')).toHaveLength(1);
    },
  );
});
