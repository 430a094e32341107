import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DefaultLogger, type LogEntry, Runtime } from '@temporalio/worker';
import { expect, inject, test } from 'vitest';
import { fileBlobStore } from '../../src/blobs/file.ts';
import { PerdureClient } from '../../src/client/index.ts';
import { eventually, notesOf, payingAgent, payments, startWaiting } from '../support/approvals.ts';
import { startBareWorker } from '../support/bare-worker.ts';
import { freePorts } from '../support/free-ports.ts';

/** A process of its own with Temporal's metrics on: they are set before the first worker. */
const [port] = await freePorts(1);
const logged: LogEntry[] = [];
Runtime.install({
  logger: new DefaultLogger('INFO', (entry) => logged.push(entry)),
  telemetryOptions: { metrics: { prometheus: { bindAddress: `127.0.0.1:${port}` } } },
});

test('what a conversation refuses is logged and counted, whether or not it leaves an event', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'perdure-refusals-'));
  const taskQueue = `test-${randomUUID()}`;
  const client = await PerdureClient.connect({ address: inject('temporalAddress'), taskQueue });
  const worker = await startBareWorker({
    agents: [payingAgent('payer')],
    taskQueue,
    blobs: fileBlobStore({ directory }),
  });
  try {
    const { conversation } = await startWaiting(
      client,
      'payer',
      { message: payments(['a', 1]) },
      1,
    );
    const by = { id: 'ana' };
    await expect(conversation.deny('nothing', { by })).rejects.toMatchObject({
      code: 'unknown_call',
    });
    await client.temporal.workflow
      .getHandle(conversation.id)
      .signal('approve', { key: 'nothing', by });
    const counted = async (): Promise<string[]> => {
      const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
      return text.split('\n').filter((line) => line.startsWith('perdure_refused'));
    };
    await eventually(counted).toHaveLength(2);
    const lines = await counted();
    for (const name of ['decide', 'approve']) {
      const line = lines.find((each) => each.includes(`name="${name}"`));
      expect(line).toContain('code="unknown_call"');
      expect(line).toMatch(/\} 1$/);
      expect(logged.filter(({ message }) => message === `refused ${name}`)).toHaveLength(1);
    }
    await conversation.cancel();
    await conversation.result().catch(() => {});
    // The update left nothing; who sent a signal is gone, so the audit has it.
    expect(await notesOf(conversation)).toMatchObject([
      { code: 'signal_refused', details: { signal: 'approve', code: 'unknown_call', by: 'ana' } },
      { code: 'stopped' },
    ]);
  } finally {
    await worker.stop();
    await client.close();
    await rm(directory, { recursive: true, force: true });
  }
});
