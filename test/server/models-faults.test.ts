import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DefaultLogger, Runtime } from '@temporalio/worker';
import { expect, inject, test } from 'vitest';
import { modelFaultStorm } from '../model-faults/storm.ts';

Runtime.install({ logger: new DefaultLogger('ERROR') });

/** The short form of `npm run model-faults`. */
const seed = Number(process.env['PERDURE_TEST_SEED'] ?? 20_261_130);

test(`where a third of a model’s answers break, all is as without (seed ${seed})`, async () => {
  const dataDirectory = await mkdtemp(join(tmpdir(), 'perdure-test-model-faults-'));
  try {
    const { problems, table } = await modelFaultStorm({
      address: inject('temporalAddress'),
      workflowBundlePath: inject('workflowBundlePath'),
      dataDirectory,
      conversations: 12,
      steps: 5,
      share: 0.3,
      seed,
      atOnce: 12,
      idleTimeoutMs: 3_000,
    });
    expect(problems, table).toEqual([]);
    expect(table).toContain('| conversations with the right answer | 12 |');
  } finally {
    await rm(dataDirectory, { recursive: true, force: true });
  }
});
