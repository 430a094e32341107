import { execa } from 'execa';
import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { msToTs } from '@temporalio/common/lib/time.js';
import { afterAll, beforeAll, inject, vi } from 'vitest';
import { PerdureClient } from '../../src/client/index.ts';
import { CLI_ENVIRONMENT, NODE_ARGUMENTS } from '../cli/run-cli.ts';
import { docBlocks } from './doc-blocks.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const SOURCE = ['--conditions=perdure-source', '--import', 'tsx'];

export interface ServedPage {
  readonly client: PerdureClient;
  readonly namespace: string;
  /** Compiles the page's files as they are written. */
  compile(): Promise<void>;
  /** Runs one of the page's files; what it prints. */
  run(file: string, ...args: readonly string[]): Promise<string>;
  /** Runs a shell command in which `perdure` is ours; what it prints. */
  shell(command: string): Promise<string>;
}

/**
 * The files of a page of docs, in a folder where a user's project would be, and a worker that serves
 * its `agents.ts` to a namespace of its own; it is there once the tests run.
 */
export function servePage(page: URL): ServedPage {
  let folder = '';
  let client: PerdureClient;
  let worker: ReturnType<typeof startWorker> | undefined;
  const namespace = `page-${randomUUID()}`;
  const options = (timeout = 60_000) => ({
    cwd: folder,
    env: {
      ...CLI_ENVIRONMENT,
      TEMPORAL_ADDRESS: inject('temporalAddress'),
      TEMPORAL_NAMESPACE: namespace,
    },
    extendEnv: false,
    timeout,
  });
  const startWorker = () =>
    execa('node', [...NODE_ARGUMENTS, 'worker', 'agents.ts', '--json'], {
      ...options(0),
      reject: false,
    });

  beforeAll(async () => {
    await mkdir(join(ROOT, '.perdure'), { recursive: true });
    // Inside the project, so that `perdure` is found as a user's project finds it.
    folder = await mkdtemp(join(ROOT, '.perdure', 'page-'));
    for (const { file, code } of await docBlocks(page)) {
      if (file !== undefined) await writeFile(join(folder, file), code);
    }
    client = await PerdureClient.connect({ address: inject('temporalAddress'), namespace });
    await client.temporal.workflowService.registerNamespace({
      namespace,
      workflowExecutionRetentionPeriod: msToTs('1 day'),
    });
    await client.temporal.connection.operatorService?.addSearchAttributes({
      namespace,
      searchAttributes: { PerdureStatus: 2, PerdurePending: 3, PerdureTenant: 2, PerdureTags: 7 },
    });
    const started = startWorker();
    worker = started;
    let said = '';
    started.stdout.on('data', (chunk: Buffer) => {
      said += chunk.toString();
    });
    await vi.waitUntil(() => said.includes('\n') || started.exitCode !== null, { timeout: 60_000 });
  });

  afterAll(async () => {
    worker?.kill();
    await worker;
    await client?.close();
    await rm(folder, { recursive: true, force: true });
  });

  return {
    namespace,
    get client() {
      return client;
    },
    async compile() {
      const config = { extends: join(ROOT, 'tsconfig.json'), include: [join(folder, '*.ts')] };
      await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config));
      await execa('npx', ['tsc', '--noEmit', '-p', folder], { cwd: ROOT });
    },
    async run(file, ...args) {
      const { stdout } = await execa('node', [...SOURCE, join(folder, file), ...args], options());
      return stdout;
    },
    async shell(command) {
      const perdure = ['node', ...NODE_ARGUMENTS].map((word) => `'${word}'`).join(' ');
      const script = `perdure() { ${perdure} "$@"; }\n${command}`;
      const { stdout } = await execa('sh', ['-ec', script], options());
      return stdout;
    },
  };
}
