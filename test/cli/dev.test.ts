import { execa } from 'execa';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { PerdureClient } from '../../src/client/index.ts';
import { freePort } from '../../src/embedded-server/free-port.ts';
import { freePorts } from '../support/free-ports.ts';
import { SOON } from '../client/soon.ts';
import { CLI_ENVIRONMENT, type CliRun, NODE_ARGUMENTS, runCli } from './run-cli.ts';

const SOURCE = fileURLToPath(new URL('../../src', import.meta.url));

/** An agents file with one agent that begins all it says with these words. */
function agentSaying(words: string): string {
  return `
import { say } from './words.ts';
import { scripted } from '${SOURCE}/models/scripted.ts';
import { defineAgent } from '${SOURCE}/tools/define-agent.ts';
export default [defineAgent({ name: 'parrot', model: scripted(() => say(${JSON.stringify(words)})), instructions: 'Talk.' })];
`;
}

const LOUD = 'export const say = (words: string): string => words.toUpperCase();\n';
const QUIET = 'export const say = (words: string): string => words.toLowerCase();\n';

function startDev(ports: readonly string[]) {
  return execa('node', [...NODE_ARGUMENTS, 'dev', 'agents.ts', '--json', ...ports], {
    cwd: folder,
    reject: false,
    extendEnv: false,
    env: CLI_ENVIRONMENT,
  });
}

let folder: string;
let httpPort: number;
let dev: ReturnType<typeof startDev>;
let said = '';
let started: { address: string; uiAddress: string; pid: number; agents: string[] };

/** Two that are free at the same time: asked for one after the other they may be the same. */
async function portOptions(): Promise<string[]> {
  const [port, uiPort] = await freePorts(2);
  return ['--port', String(port), '--ui-port', String(uiPort)];
}

/** Starts it and resolves when it is ready. */
async function begin(ports: readonly string[]): Promise<void> {
  dev = startDev(ports);
  dev.stderr.on('data', (chunk: Buffer) => {
    said += chunk.toString();
  });
  let out = '';
  dev.stdout.on('data', (chunk: Buffer) => {
    out += chunk.toString();
  });
  await vi.waitUntil(() => out.includes('\n') || dev.exitCode !== null, { timeout: 80_000 });
  if (!out.includes('\n')) throw new Error(`perdure dev ended before it was ready: ${said}`);
  started = JSON.parse(out);
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'perdure-test-dev-'));
  // No package.json: a file there is a script to Node, and a module to us.
  await writeFile(join(folder, 'words.ts'), LOUD);
  await writeFile(join(folder, 'agents.ts'), agentSaying('Hello'));
  httpPort = await freePort();
  await begin([...(await portOptions()), '--http-port', String(httpPort)]);
});

afterAll(async () => {
  dev.kill('SIGKILL');
  await dev;
  await rm(folder, { recursive: true, force: true });
});

function perdure(...args: readonly string[]): Promise<CliRun> {
  return runCli(args, { cwd: folder });
}

async function answer(): Promise<string> {
  return (await perdure('run', 'parrot', 'hello', '--quiet')).stdout;
}

/** Process ids of the workers that poll. */
async function workers(): Promise<readonly number[]> {
  const client = await PerdureClient.connect({ address: started.address });
  const { pollers } = await client.temporal.workflowService.describeTaskQueue({
    namespace: 'default',
    taskQueue: { name: 'perdure' },
    taskQueueType: 1,
  });
  await client.close();
  const ids = (pollers ?? []).map(({ identity }) => Number(identity?.split('@')[0]));
  return [...new Set(ids)].filter((pid) => isAlive(pid));
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

describe('perdure dev', () => {
  test('says where server and UI are and which agents it serves; other commands find it', async () => {
    expect(started).toMatchObject({ agents: ['parrot'], namespace: 'default' });
    const ui = await fetch(started.uiAddress);
    expect(ui.status).toBe(200);
    const http = await fetch(`http://127.0.0.1:${httpPort}/api/v1/namespaces/default/workflows`);
    expect(http.status).toBe(200);
    expect(await answer()).toBe('HELLO');
    expect((await perdure('ls')).stdout).toMatch(/parrot-\w+ +parrot +completed/);
  });

  test('is refused a second time on the same data directory', async () => {
    const second = await perdure('dev', 'agents.ts');
    expect(second.exitCode).toBe(2);
    expect(second.stderr).toMatch(
      /^error: the data directory .* is in use by the embedded server/m,
    );
    expect(await answer()).toBe('HELLO');
  });

  test('serves what a changed file says, also one that the agents file imports', async () => {
    await writeFile(join(folder, 'agents.ts'), agentSaying('Goodbye'));
    await expect.poll(answer, { timeout: 60_000, interval: 500 }).toBe('GOODBYE');
    await writeFile(join(folder, 'words.ts'), QUIET);
    await expect.poll(answer, { timeout: 60_000, interval: 500 }).toBe('goodbye');
  });

  test('says what is wrong with a changed file, and goes on when it is mended', async () => {
    await writeFile(join(folder, 'agents.ts'), 'export const = 5;\n');
    await expect
      .poll(() => said, SOON)
      .toMatch(/agents\.ts:1:13.*change a file, and it is tried again/);
    await writeFile(join(folder, 'agents.ts'), agentSaying('Back'));
    await expect.poll(answer, { timeout: 60_000, interval: 500 }).toBe('back');
  });

  test('starts another worker when one is killed', async () => {
    await expect.poll(async () => (await workers()).length, SOON).toBe(1);
    const [victim = 0] = await workers();
    process.kill(victim, 'SIGKILL');
    await expect.poll(() => said, SOON).toMatch(/died \(SIGKILL\): another one takes over/);
    expect(await answer()).toBe('back');
  });

  test('leaves no process behind after Ctrl-C', async () => {
    await expect.poll(async () => (await workers()).length, SOON).toBe(1);
    const pids = [started.pid, ...(await workers())];
    dev.kill('SIGINT');
    const { exitCode } = await dev;
    expect(exitCode).toBe(0);
    expect(pids.filter(isAlive)).toEqual([]);
  });

  test('leaves none behind when it is killed, and its data is there the next time', async () => {
    await begin(await portOptions());
    expect((await perdure('ls')).stdout).toMatch(/parrot-\w+ +parrot +completed/);
    await expect.poll(async () => (await workers()).length, SOON).toBe(1);
    const pids = [started.pid, ...(await workers())];
    dev.kill('SIGKILL');
    await dev;
    await expect.poll(() => pids.filter(isAlive), SOON).toEqual([]);
  });
});
