import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { fileBlobStore } from '../../src/blobs/file.ts';
import { isBlobReference } from '../../src/client/index.ts';
import { withWorker } from '../support/with-worker.ts';
import { pair, paid } from './agents/pair.ts';
import { type CliRun, runCli } from './run-cli.ts';

const folder = await mkdtemp(join(tmpdir(), 'perdure-test-repair-'));
const directory = join(folder, 'blobs');
const blobs = fileBlobStore({ directory });
const taskQueue = `repair-${process.pid}`;

beforeAll(async () => {
  const source = (file: string) => fileURLToPath(new URL(file, import.meta.url));
  await writeFile(
    join(folder, 'perdure.config.ts'),
    `import { defineConfig, fileBlobStore } from '${source('../../src/index.ts')}';
     import { pair } from '${source('./agents/pair.ts')}';
     export default defineConfig({
       agents: [pair],
       taskQueue: '${taskQueue}',
       blobs: fileBlobStore({ directory: '${directory}' }),
     });`,
  );
});
afterAll(() => rm(folder, { recursive: true, force: true }));

function perdure(...args: readonly string[]): Promise<CliRun> {
  return runCli([...args, '--address', inject('temporalAddress')], { cwd: folder });
}

/** Workflow code that schedules the calls of a batch in another order. */
async function codeOfAnotherVersion(): Promise<string> {
  const code = await readFile(inject('workflowBundlePath'), 'utf8');
  const inOrder = /a\.call\.index - b\.call\.index/;
  expect(code).toMatch(inOrder);
  return code.replace(inOrder, 'b.call.index - a.call.index');
}

// The command bundles the workflows, as every program does that runs from source.
const SLOW = { timeout: 180_000 };

test(
  'a conversation that is stuck is shown with the way out, reset on demand, and loses no message',
  SLOW,
  async () => {
    const settings = { agents: [pair], blobs, taskQueue };
    const workflowBundle = { code: await codeOfAnotherVersion() };
    const id = 'pair-stuck';
    await withWorker({ ...settings, internals: { workflowBundle } }, async ({ client }) => {
      const conversation = await client.start('pair', { mode: 'chat', message: 'go', id });
      await expect
        .poll(async () => (await conversation.status()).lastTurn?.turn, { timeout: 60_000 })
        .toBe(1);
    });
    expect(paid).toHaveLength(2);
    await withWorker(settings, async ({ client }) => {
      const conversation = client.handle(id);
      const workflow = client.temporal.workflow.getHandle(id);
      await workflow.signal('message', { content: 'and then?' });
      await expect
        .poll(async () => (await workflow.describe()).raw.pendingWorkflowTask?.attempt, {
          timeout: 60_000,
        })
        .toBeGreaterThan(1);

      const refused = await perdure('repair', id, '--apply');
      expect(refused.stdout).toMatch(/workflow task: fails, now at attempt \d+: .*TMPRL1100/);
      expect(refused.stdout).toMatch(/a reset to event \d+ helps: all before it replays/);
      expect(refused.stdout).toMatch(/asked of the model again: 1 completion$/m);
      expect(refused.stdout).toMatch(/runs again: pay Ana {2}\(pay, once, pair-stuck\//);
      expect(refused.stdout).toMatch(/next request: valid/);
      expect(refused.exitCode).toBe(1);
      expect(refused.stderr).toMatch(/calls that act once would run again \(pay Ana; pay Ben\)/);
      expect(paid).toHaveLength(2);

      const applied = await perdure('repair', id, '--apply', '--force', '--json');
      const { newRun, stuck } = JSON.parse(applied.stdout);
      expect(stuck).toMatchObject({ replays: false, completions: 1 });
      await expect
        .poll(async () => (await conversation.status()).lastTurn, { timeout: 60_000 })
        .toMatchObject({ turn: 2 });
      expect((await conversation.describe()).runId).toBe(newRun);
      expect(new Set(paid).size).toBe(4);
      const texts = (await conversation.entries()).map(({ header }) => header.preview);
      expect(texts).toContain('and then?');
    });
  },
);

test(
  'a request that needs mending, and a blob that is gone, are shown; nothing need be applied',
  SLOW,
  async () => {
    await withWorker({ agents: [pair], blobs, taskQueue }, async ({ client }) => {
      const message = `go\u0000 ${'m'.repeat(50_000)}`;
      const conversation = await client.start('pair', { mode: 'chat', message, id: 'pair-mended' });
      await expect
        .poll(async () => (await conversation.status()).lastTurn?.turn, { timeout: 60_000 })
        .toBe(1);
      await conversation.send('less\u0000');
      await expect
        .poll(async () => (await conversation.status()).lastTurn?.turn, { timeout: 60_000 })
        .toBe(2);
      const said = (await conversation.entries()).map(({ entry }) => entry);
      const [large] = said.flatMap((entry) =>
        entry.kind === 'user' && isBlobReference(entry.content) ? [entry.content.blob] : [],
      );
      await rm(join(directory, conversation.id, large ?? ''));
      const shown = await perdure('repair', conversation.id, '--apply');
      expect(shown).toMatchObject({ exitCode: 0, stderr: '' });
      expect(shown.stdout).toMatch(/workflow task: does not fail/);
      expect(shown.stdout).toMatch(/next request: mended before it is sent[^]*unfit-text at mess/);
      expect(shown.stdout).toContain(`blob ${large} is missing: the model is told what was lost`);
      expect(shown.stdout).toMatch(/nothing to apply/);
    });
  },
);
