import { execa } from 'execa';
import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { msToTs } from '@temporalio/common/lib/time.js';
import { afterAll, beforeAll, describe, expect, inject, test, vi } from 'vitest';
import { PerdureClient } from '../../src/client/index.ts';
import { docBlocks } from '../support/doc-blocks.ts';
import { CLI_ENVIRONMENT, NODE_ARGUMENTS } from '../cli/run-cli.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const SOURCE = ['--conditions=perdure-source', '--import', 'tsx'];

/** Inside the project, so that `perdure` is found as a user's project finds it. */
let folder: string;
let environment: Readonly<Record<string, string | undefined>>;
let worker: ReturnType<typeof startWorker>;

function startWorker() {
  return execa('node', [...NODE_ARGUMENTS, 'worker', 'agents.ts', '--json'], {
    cwd: folder,
    env: environment,
    extendEnv: false,
    reject: false,
  });
}

beforeAll(async () => {
  await mkdir(join(ROOT, '.perdure'), { recursive: true });
  folder = await mkdtemp(join(ROOT, '.perdure', 'client-page-'));
  for (const { file, code } of await docBlocks(new URL('../../docs/client.md', import.meta.url))) {
    if (file !== undefined) await writeFile(join(folder, file), code);
  }
  const address = inject('temporalAddress');
  const namespace = `page-${randomUUID()}`;
  environment = { ...CLI_ENVIRONMENT, TEMPORAL_ADDRESS: address, TEMPORAL_NAMESPACE: namespace };
  const client = await PerdureClient.connect({ address, namespace });
  await client.temporal.workflowService.registerNamespace({
    namespace,
    workflowExecutionRetentionPeriod: msToTs('1 day'),
  });
  await client.temporal.connection.operatorService?.addSearchAttributes({
    namespace,
    searchAttributes: { PerdureStatus: 2, PerdurePending: 3, PerdureTenant: 2, PerdureTags: 7 },
  });
  await client.close();
  worker = startWorker();
  let said = '';
  worker.stdout.on('data', (chunk: Buffer) => {
    said += chunk.toString();
  });
  await vi.waitUntil(() => said.includes('\n') || worker.exitCode !== null, { timeout: 60_000 });
});

afterAll(async () => {
  worker.kill();
  await worker;
  await rm(folder, { recursive: true, force: true });
});

async function run(file: string): Promise<string> {
  const { stdout } = await execa('node', [...SOURCE, join(folder, file)], {
    cwd: folder,
    env: environment,
    extendEnv: false,
    timeout: 60_000,
  });
  return stdout;
}

describe('the page about the client', () => {
  test('its TypeScript compiles as it is written', async () => {
    const config = { extends: join(ROOT, 'tsconfig.json'), include: [join(folder, '*.ts')] };
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config));
    await execa('npx', ['tsc', '--noEmit', '-p', folder], { cwd: ROOT });
  });

  test('a run is started, approved and answered', async () => {
    expect(await run('start.ts')).toBe(
      'may it refund 12.00 for A-1?\nanswered: You got your money back.',
    );
  });

  test('a chat takes a message, refuses white space, and is read back', async () => {
    const [turn, refused, answer, ...entries] = (await run('chat.ts')).split('\n');
    expect(turn).toBe('turn 1: started');
    expect(refused).toMatch(/^invalid_message: /);
    expect(answer).toBe('This is my answer number 1.');
    expect(entries).toEqual(['user: "Hello"', 'agent: "This is my answer number 1."']);
  });

  test('a watcher prints each text once', async () => {
    expect(await run('watch.ts')).toBe('This is my answer number 1.');
  });

  test('the lists can be asked', async () => {
    await run('lists.ts');
  });
});
