import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { fileBlobStore } from '../../src/blobs/file.ts';
import { PerdureClient } from '../../src/client/index.ts';
import { scripted } from '../../src/models/scripted.ts';
import { defineAgent } from '../../src/tools/define-agent.ts';
import { serveAgents } from '../support/serve-agents.ts';
import { type CliRun, runCli } from './run-cli.ts';

const LONG = 'y'.repeat(40_000);
const writer = defineAgent({
  name: 'writer',
  model: scripted(() => LONG),
  instructions: 'Write.',
});

const folder = await mkdtemp(join(tmpdir(), 'perdure-test-cleaning-'));
const directory = join(folder, 'agents-blobs');
const blobs = fileBlobStore({ directory });
const served = serveAgents({ agents: [writer], blobs });

/** A project whose stores only its configuration file names. */
beforeAll(async () => {
  const compiled = join(inject('compiledPath'), 'src');
  await mkdir(join(folder, 'empty'));
  await writeFile(
    join(folder, 'perdure.config.mjs'),
    `import { defineAgent, defineConfig, fileBlobStore } from '${join(compiled, 'index.js')}';
     import { scripted } from '${join(compiled, 'models', 'index.js')}';
     export default defineConfig({
       agents: [defineAgent({ name: 'writer', model: scripted([]), instructions: 'Write.' })],
       taskQueue: ${JSON.stringify(served.taskQueue)},
       blobs: fileBlobStore({ directory: ${JSON.stringify(directory)} }),
     });`,
  );
});
afterAll(() => rm(folder, { recursive: true, force: true }));

function perdure(args: readonly string[], cwd = folder): Promise<CliRun> {
  return runCli([...args, '--address', inject('temporalAddress')], { cwd });
}

/** What a conversation left behind that the server has forgotten. */
async function leave(id: string, daysAgo: number): Promise<void> {
  const sha256 = await blobs.put(id, Buffer.from('left behind'));
  const then = new Date(Date.now() - daysAgo * 24 * 60 * 60 * 1000);
  await utimes(join(directory, id, sha256), then, then);
}

describe('the stores and the task queue of a configuration file', () => {
  test('are those of the commands in its folder', async () => {
    const run = await perdure(['run', 'writer', 'write', '--id', 'in-file']);
    expect(run).toMatchObject({ exitCode: 0, stdout: LONG });
    expect((await perdure(['show', 'in-file'])).stdout).toContain('agent: yyyy');
    const named = ['--config', join(folder, 'perdure.config.mjs')];
    const elsewhere = await perdure(['ls', ...named], join(folder, 'empty'));
    expect(elsewhere.stdout).toMatch(/in-file/);
  });

  test('are asked for again when the file cannot be loaded', async () => {
    const broken = join(folder, 'broken');
    await mkdir(broken);
    await writeFile(join(broken, 'perdure.config.mjs'), 'throw new Error("no key");');
    const shown = await perdure(['ls'], broken);
    expect(shown.exitCode).toBe(2);
    expect(shown.stderr).toMatch(/cannot be loaded: Error: no key[^]*--no-config/);
    expect((await perdure(['ls', '--no-config'], broken)).exitCode).toBe(0);
  });
});

describe('perdure delete', () => {
  test('removes a conversation for good, and says what it removed', async () => {
    const task = await served.client.start('writer', { message: 'write', id: 'unwanted' });
    await task.result();
    const deleted = await perdure(['delete', 'unwanted']);
    expect(deleted).toMatchObject({ exitCode: 0 });
    expect(deleted.stdout).toMatch(/^deleted unwanted: 1 run, [1-9]\d* blobs?, its live events$/);
    expect(await readdir(directory)).not.toContain('unwanted');
  });

  test('refuses one that runs', async () => {
    await served.client.start('writer', { mode: 'chat', id: 'talking' });
    const refused = await perdure(['delete', 'talking']);
    expect(refused.exitCode).toBe(1);
    expect(refused.stderr).toMatch(/"talking" runs: close or cancel it first/);
    await served.client.handle('talking').cancel();
  });
});

describe('perdure blobs gc', () => {
  test('lists, and with --apply removes, the blobs that no known conversation owns', async () => {
    const task = await served.client.start('writer', { message: 'write', id: 'owner' });
    await task.result();
    await leave('forgotten', 3);
    await leave('starting', 0);
    await leave('kept', 3);
    await blobs.setManifest('kept', await blobs.put('kept', Buffer.from('{}')));

    const listed = await perdure(['blobs', 'gc']);
    expect(listed.stdout).toMatch(/CONVERSATION[^]*forgotten +1 +11 B +3d ago/);
    expect(listed.stdout).toMatch(/1 conversation, 11 B would be removed by --apply; left alone: /);
    expect(listed.stdout).toMatch(/\d that the server knows, 1 kept, 1 too young/);
    expect(await readdir(directory)).toContain('forgotten');

    const json = await perdure(['blobs', 'gc', '--apply', '--json', '--older-than', '2 days']);
    expect(JSON.parse(json.stdout)).toMatchObject({
      applied: true,
      kept: 1,
      young: 1,
      garbage: [{ conversationId: 'forgotten', blobs: 1, bytes: 11 }],
    });
    const left = await readdir(directory);
    expect(left).toEqual(expect.arrayContaining(['owner', 'starting', 'kept']));
    expect(left).not.toContain('forgotten');
  });

  test('removes nothing for a server that knows no conversation of the store', async () => {
    const other = fileBlobStore({ directory: join(folder, 'other') });
    const address = inject('temporalAddress');
    const client = await PerdureClient.connect({ address, blobs: other });
    const sha256 = await other.put('of-another-server', Buffer.from('x'));
    const old = new Date(0);
    await utimes(join(folder, 'other', 'of-another-server', sha256), old, old);
    await expect(client.collectGarbage({ apply: true })).rejects.toMatchObject({
      name: 'UnrelatedBlobStore',
    });
    expect(await other.has('of-another-server', sha256)).toBe(true);
    const forced = await client.collectGarbage({ apply: true, force: true });
    expect(forced.garbage).toHaveLength(1);
    await client.close();
  });

  test('refuses an age that a start could outlast', async () => {
    const client = new PerdureClient({ client: served.client.temporal, blobs });
    await expect(client.collectGarbage({ olderThan: '5 minutes' })).rejects.toThrow(
      'at least "10 minutes", got "5 minutes"',
    );
  });
});
