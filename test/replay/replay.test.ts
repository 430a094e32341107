import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { historyFromJSON } from '@temporalio/common/lib/proto-utils.js';
import { DefaultLogger, Runtime, Worker } from '@temporalio/worker';
import { beforeAll, describe, expect, test } from 'vitest';
import { bundleWorkflows } from '../../src/worker/workflow-bundle.ts';

Runtime.install({ logger: new DefaultLogger('ERROR') });

const folder = fileURLToPath(new URL('histories/', import.meta.url));
const files = (await readdir(folder)).filter((file) => file.endsWith('.json'));
let code: string;

beforeAll(async () => {
  ({ code } = await bundleWorkflows());
});

async function replay(file: string, bundle: string): Promise<void> {
  const history = historyFromJSON(JSON.parse(await readFile(`${folder}${file}`, 'utf8')));
  await Worker.runReplayHistory({ workflowBundle: { code: bundle } }, history);
}

describe('recorded histories', () => {
  test('there are some', () => {
    expect(files.length).toBeGreaterThan(5);
  });

  test.each(files)('%s replays on this code', async (file) => {
    await replay(file, code);
  });

  test('do not replay on code that schedules calls in another order', async () => {
    const inOrder = /a\.call\.index - b\.call\.index/;
    expect(inOrder.test(code)).toBe(true);
    const reversed = code.replace(inOrder, 'b.call.index - a.call.index');
    const parallel = files.find((file) => file.includes('parallel')) ?? '';
    await expect(replay(parallel, reversed)).rejects.toThrow(/TMPRL1100|[Nn]ondeterminism/);
  });
});
