import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { anthropic } from '../../src/models/anthropic/anthropic.ts';
import { defineAgent } from '../../src/tools/define-agent.ts';
import { findRunningServer } from '../../src/embedded-server/data-directory-lock.ts';
import { broken, desk, echo } from './agents/desk.ts';
import { serveAgents } from '../support/serve-agents.ts';
import { agentsFile, type CliRun, runCli } from './run-cli.ts';

const api = createServer((_request, response) => {
  response.writeHead(401, { 'content-type': 'application/json' });
  const error = { type: 'authentication_error', message: 'invalid x-api-key' };
  response.end(JSON.stringify({ type: 'error', error }));
});
const claude = defineAgent({
  name: 'claude',
  model: anthropic('claude-test', {
    apiKey: 'sk-wrong',
    // Asked when it is needed: the port is known by then.
    fetch: (_url, init) => fetch(`http://127.0.0.1:${portOf(api)}/`, init),
  }),
  instructions: 'You answer.',
});

const served = serveAgents({ agents: [broken, claude, desk, echo] });
let folder: string;
beforeAll(async () => {
  api.listen(0, '127.0.0.1');
  await once(api, 'listening');
  folder = await mkdtemp(join(tmpdir(), 'perdure-test-cli-'));
});
afterAll(async () => {
  api.close();
  await rm(folder, { recursive: true, force: true });
});

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

function where(): string[] {
  const { taskQueue } = served;
  return ['--address', inject('temporalAddress'), '--task-queue', taskQueue, '--data-dir', folder];
}

/** One line on stderr with the cause and the mend, nothing on stdout, no stack. */
function expectOneLine({ stdout, stderr }: CliRun, line: RegExp): void {
  const errors = stderr.split('\n').filter((each) => each.startsWith('error:'));
  expect(errors).toHaveLength(1);
  expect(errors[0]).toMatch(line);
  expect(stderr).not.toMatch(/\n\s+at /);
  expect(stdout).toBe('');
}

async function conversations(agent: string): Promise<number> {
  let count = 0;
  for await (const info of served.client.list({ agent })) if (info.agent === agent) count += 1;
  return count;
}

describe('says in one line what is wrong and what to do', () => {
  test('an agent that no worker knows: the run fails at once and names those that there are', async () => {
    const run = await runCli(['run', 'nobody', 'hello', '--quiet', ...where()]);
    expect(run.exitCode).toBe(1);
    expectOneLine(
      run,
      /UnknownAgent.*does not know the agent "nobody".*broken, claude, desk, echo/,
    );
  });

  test('a key that is refused: the run fails with what to do', async () => {
    const run = await runCli(['run', 'claude', 'hello', '--quiet', ...where()]);
    expect(run.exitCode).toBe(1);
    expectOneLine(run, /ModelRejected.*auth: .*invalid x-api-key/);
  });

  test('a malformed start argument: all problems, and nothing is started', async () => {
    const limits = '{"maxSteps":-1,"speed":9}';
    const run = await runCli(['run', 'desk', 'A-1', '--limits', limits, ...where()]);
    expect(run.exitCode).toBe(2);
    expectOneLine(run, /limits\.maxSteps: expected number to be >0; .*"speed"/);
    const json = await runCli(['run', 'desk', 'A-1', '--context', '{"a":', ...where()]);
    expect(json.exitCode).toBe(2);
    expectOneLine(json, /--context: expected JSON, for example/);
    expect(await conversations('desk')).toBe(0);
  });

  test.each(['', '  \n '])('a message of white space (%j): nothing is started', async (message) => {
    const run = await runCli(['run', 'desk', message, ...where()]);
    expect(run.exitCode).toBe(2);
    expectOneLine(run, /the message is empty/);
    const piped = await runCli(['run', 'desk', ...where()], { input: message });
    expect(piped.exitCode).toBe(2);
    expect(await conversations('desk')).toBe(0);
  });

  test('a message to a conversation that has ended, or that there is not', async () => {
    const conversation = await served.client.start('echo', { message: 'hello' });
    await conversation.result();
    const run = await runCli(['send', conversation.id, 'more', ...where()]);
    expect(run.exitCode).toBe(1);
    expectOneLine(run, /has ended and takes nothing more: start a new one/);
    const nowhere = await runCli(['send', 'nobody-1', 'more', ...where()]);
    expect(nowhere.exitCode).toBe(2);
    expectOneLine(nowhere, /no conversation "nobody-1" in namespace "default"/);
  });

  test('a server that is not there', async () => {
    for (const command of [['ls'], ['run', 'desk', 'A-1'], ['worker', agentsFile('desk.ts')]]) {
      const run = await runCli([...command, '--address', '127.0.0.1:1', '--data-dir', folder]);
      expect(run.exitCode).toBe(1);
      expectOneLine(run, /no Temporal server answers at 127\.0\.0\.1:1: start one \(perdure dev\)/);
    }
  });

  test('a namespace that the server does not have', async () => {
    const run = await runCli(['ls', '--namespace', 'nowhere', ...where()]);
    expect(run.exitCode).toBe(1);
    expectOneLine(run, /no namespace "nowhere": create it/);
  });

  test('a port that is in use', async () => {
    const other = createServer();
    other.listen(0, '127.0.0.1');
    await once(other, 'listening');
    const port = String(portOf(other));
    const run = await runCli(['dev', agentsFile('desk.ts'), '--port', port], { cwd: folder });
    other.close();
    expect(run.exitCode).toBe(2);
    expectOneLine(run, new RegExp(`port ${port} .* is in use by another program: stop that one`));
  });

  test.each([
    ['that throws', 'throws.ts', /cannot be loaded: TypeError: .*steps.*throws\.ts:5/],
    [
      'that exports no agent',
      'nothing.ts',
      /exports no agent \(only greeting\): export what defineAgent/,
    ],
    ['with a malformed agent', 'malformed.ts', /"two words".*maxParallel/],
    ['that there is not', 'missing.ts', /there is no agents file .*missing\.ts/],
  ])('an agents file %s', async (_what, name, line) => {
    const run = await runCli(['check', agentsFile(name)], { cwd: folder });
    expect(run.exitCode).toBe(2);
    expectOneLine(run, line);
  });

  test.each(['worker', 'dev'])(
    'an agents file that throws: `perdure %s` leaves nothing behind',
    async (command) => {
      const run = await runCli([command, agentsFile('throws.ts')], { cwd: folder });
      expect(run.exitCode).toBe(2);
      expectOneLine(run, /cannot be loaded: TypeError/);
      expect(await findRunningServer(join(folder, '.perdure'))).toBeUndefined();
    },
  );

  test('an agents file with a syntax error', async () => {
    const file = join(folder, 'syntax.ts');
    await writeFile(file, 'export const = 5;\n');
    const run = await runCli(['check', file]);
    expect(run.exitCode).toBe(2);
    expectOneLine(run, /cannot be loaded: TransformError.*syntax\.ts:1:13.*Expected identifier/);
  });

  test('no agents file at all', async () => {
    const run = await runCli(['check'], { cwd: folder });
    expect(run.exitCode).toBe(2);
    expectOneLine(run, /there is no perdure\.config\.ts here: name a file that exports agents/);
  });

  test('an option, a command or a setting that there is not', async () => {
    const option = await runCli(['ls', '--colour']);
    expect(option.exitCode).toBe(2);
    expect(option.stderr).toMatch(/^error: unknown option '--colour'/);
    const command = await runCli(['lss']);
    expect(command.exitCode).toBe(2);
    expect(command.stderr).toMatch(/unknown command 'lss'\n\(Did you mean ls\?\)/);
    const setting = await runCli(['ls'], { env: { PERDURE_TASK_QEUE: 'x' } });
    expect(setting.exitCode).toBe(2);
    expectOneLine(setting, /PERDURE_TASK_QEUE.*did you mean PERDURE_TASK_QUEUE/);
  });

  test('under --json the error is JSON, with --debug the stack follows', async () => {
    const args = ['show', `nobody-${randomUUID()}`, ...where()];
    const json = await runCli([...args, '--json']);
    expect(JSON.parse(json.stderr)).toMatchObject({ error: { type: 'ConversationNotFound' } });
    const debug = await runCli([...args, '--debug']);
    expect(debug.stderr).toMatch(/\n\s+at /);
  });
});
