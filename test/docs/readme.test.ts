import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type EmbeddedServer,
  startEmbeddedServer,
} from '../../src/embedded-server/embedded-server.ts';
import { findTemporalCli } from '../../src/embedded-server/find-temporal-cli.ts';
import { type DocBlock, docBlocks } from '../support/doc-blocks.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../..', import.meta.url));
const SOURCE = ['--conditions=perdure-source', '--import', 'tsx'];

/** Inside the project, so that `perdure` is found as a user's project finds it. */
let folder: string;
let blocks: DocBlock[];
let server: EmbeddedServer;
let worker: ChildProcess | undefined;
let environment: NodeJS.ProcessEnv;

beforeAll(async () => {
  blocks = await docBlocks(new URL('../../README.md', import.meta.url));
  await mkdir(join(root, '.perdure'), { recursive: true });
  folder = await mkdtemp(join(root, '.perdure', 'readme-'));
  for (const { file, code } of blocks) {
    if (file !== undefined) await writeFile(join(folder, file), code);
  }
  server = await startEmbeddedServer({ dataDirectory: join(folder, 'data'), headless: true });
  environment = { ...process.env, TEMPORAL_ADDRESS: server.address };
  worker = spawn(
    process.execPath,
    [
      ...SOURCE,
      'src/cli/main.ts',
      'worker',
      join(folder, 'greeter.ts'),
      '--data-dir',
      join(folder, 'data'),
    ],
    { cwd: root, env: environment, stdio: ['ignore', 'ignore', 'inherit'] },
  );
});

afterAll(async () => {
  if (worker !== undefined && worker.exitCode === null) {
    const ended = once(worker, 'exit');
    worker.kill('SIGTERM');
    await ended;
  }
  await server?.stop();
  await rm(folder, { recursive: true, force: true });
});

describe('the README', () => {
  test('its TypeScript compiles as it is written', async () => {
    const config = {
      extends: join(root, 'tsconfig.json'),
      include: [join(folder, '*.ts')],
    };
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config));
    await run('npx', ['tsc', '--noEmit', '-p', folder], { cwd: root });
  });

  test('its service starts the agent, approves the call and prints the answer', async () => {
    const { stdout } = await run(process.execPath, [...SOURCE, join(folder, 'service.ts')], {
      cwd: root,
      env: environment,
      timeout: 60_000,
    });
    expect(stdout).toContain('approving: ');
    expect(stdout).toContain('The card is on its way.');
    expect(stdout).toContain('result');
  });

  test('its temporal commands do the same without anything of ours', async () => {
    const commands =
      blocks.find(({ code }) => code.startsWith('temporal workflow start'))?.code ?? '';
    const [start, approvals, approve, result] = commands.trim().split('\n');
    const { path } = await findTemporalCli({ log: () => {} });
    const sh = async (line: string | undefined) => {
      const command = (line ?? '').replace(/^temporal/, path);
      const { stdout } = await run('sh', ['-c', command], { env: environment });
      return stdout;
    };
    await sh(start);
    let key: string | undefined;
    await expect
      .poll(
        async () => {
          key = /"key":"([^"]+)"/.exec(await sh(`${approvals} -o json`).then(compact))?.[1];
          return key;
        },
        { timeout: 30_000 },
      )
      .toBeDefined();
    await sh(approve?.replace('…', key ?? ''));
    expect(await sh(result)).toContain('The card is on its way.');
  });
});

function compact(json: string): string {
  return JSON.stringify(JSON.parse(json));
}
