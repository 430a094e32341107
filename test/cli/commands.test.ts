import { execa } from 'execa';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { program } from '../../src/cli/program.ts';
import { desk, echo, restless } from './agents/desk.ts';
import { serveAgents } from '../support/serve-agents.ts';
import { SOON } from '../client/soon.ts';
import { agentsFile, type CliRun, NODE_ARGUMENTS, runCli } from './run-cli.ts';

const served = serveAgents({ agents: [desk, echo, restless] });
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'perdure-test-cli-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

function perdure(...args: readonly string[]): Promise<CliRun> {
  const { taskQueue, dataDirectory } = served;
  const where = ['--address', inject('temporalAddress'), '--task-queue', taskQueue];
  return runCli([...args, ...where, '--data-dir', dataDirectory]);
}

async function waiting(message: string): Promise<{ id: string; call: string }> {
  const task = await served.client.start('desk', { message });
  await expect.poll(async () => (await task.approvals()).length, SOON).toBe(1);
  const [request] = await task.approvals();
  return { id: task.id, call: request?.key.slice(task.id.length + 1) ?? '' };
}

describe('perdure run', () => {
  test('prints the answer alone on stdout, and what happened on stderr', async () => {
    const run = await perdure('run', 'echo', 'hello', '--id', 'run-echo');
    expect(run).toMatchObject({ exitCode: 0, stdout: 'you said: hello' });
    expect(run.stderr).toMatch(/^conversation run-echo$/m);
  });

  test('under --json prints the result as one line', async () => {
    const run = await perdure(
      'run',
      'echo',
      'hello',
      '--json',
      '--tenant',
      'acme',
      '--tag',
      'a',
      'b',
    );
    expect(JSON.parse(run.stdout)).toMatchObject({
      conversation: expect.stringMatching(/^echo-/),
      status: 'completed',
      text: 'you said: hello',
    });
  });

  test('says by its exit code that a limit ended it', async () => {
    const run = await perdure('run', 'restless', 'go');
    expect(run.exitCode).toBe(3);
    expect(run.stderr).toMatch(/not finished: max_steps/);
  });

  test('with --no-wait leaves when an approval is asked for, and the run goes on', async () => {
    const run = await perdure('run', 'desk', 'A-1', '--no-wait', '--id', 'run-no-wait');
    expect(run.exitCode).toBe(4);
    expect(run.stderr).toMatch(/waits for an approval: refund 12\.00 for A-1 .*perdure approve/);
    const approval = await perdure('approve', 'run-no-wait', '--by', 'ana');
    expect(approval).toMatchObject({ exitCode: 0 });
    expect(await served.client.handle('run-no-wait').result()).toMatchObject({ text: 'refunded' });
  });
});

test('perdure run that is interrupted says how to go on, and the run goes on', async () => {
  const { taskQueue, dataDirectory } = served;
  const where = ['--address', inject('temporalAddress'), '--task-queue', taskQueue];
  const args = [
    'run',
    'desk',
    'A-9',
    '--id',
    'run-interrupted',
    ...where,
    '--data-dir',
    dataDirectory,
  ];
  const running = execa('node', [...NODE_ARGUMENTS, ...args], { reject: false, stdin: 'ignore' });
  let said = '';
  running.stderr.on('data', (chunk: Buffer) => {
    said += chunk.toString();
  });
  await expect.poll(() => said, SOON).toMatch(/waits for an approval/);
  running.kill('SIGINT');
  const { exitCode, stderr } = await running;
  expect(exitCode).toBe(130);
  expect(stderr).toMatch(/it goes on: perdure watch run-interrupted, perdure stop run-interrupted/);
  const conversation = served.client.handle('run-interrupted');
  expect(await conversation.describe()).toMatchObject({ life: 'running' });
  await conversation.cancel();
});

describe('approvals', () => {
  test('are listed, approved with other arguments, and denied with a reason', async () => {
    const first = await waiting('A-1');
    const second = await waiting('A-2');
    await expect
      .poll(async () => (await perdure('approvals')).stdout, SOON)
      .toMatch(/AGE .*WHAT IT WILL DO[^]*refund 12\.00 for A-1[^]*refund 12\.00 for A-2/);
    const list = await perdure('approvals', '--tool', 'refund', '--json');
    expect(JSON.parse(list.stdout)).toMatchObject([
      { conversationId: first.id, request: { tool: 'refund', kind: 'call' } },
      { conversationId: second.id },
    ]);
    expect(list.stderr).toMatch(
      /2 approvals in 2 conversations, the oldest for \d+m?s: perdure approve\|deny <conversation>/,
    );

    const input = join(folder, 'input.json');
    await writeFile(input, '{"order":"A-1","cents":500}');
    const approved = await perdure('approve', first.id, first.call, '--input', `@${input}`);
    expect(approved).toMatchObject({ exitCode: 0, stdout: `approved ${first.id}/${first.call}` });
    const denied = await perdure('deny', second.id, second.call, '--reason', 'too late', '--json');
    expect(JSON.parse(denied.stdout)).toMatchObject({ via: 'update', decision: 'deny' });

    const shown = await perdure('show', first.id);
    expect(shown.stdout).toMatch(/approved by .* \(cli\), with other arguments/);
    expect(shown.stdout).toMatch(/ran with \{"order":"A-1","cents":500\}/);
    const result = await served.client.handle(second.id).result();
    expect(result.text).toMatch(/not refunded[^]*too late/);
  });

  test('are not taken twice', async () => {
    const { id, call } = await waiting('A-3');
    const verdicts = await Promise.all([
      perdure('approve', id, call, '--by', 'ana'),
      perdure('approve', id, call, '--by', 'ben'),
    ]);
    const codes = verdicts.map(({ exitCode }) => exitCode);
    expect(new Set(codes)).toEqual(new Set([0, 1]));
    const refused = verdicts.find(({ exitCode }) => exitCode === 1);
    expect(refused?.stderr).toMatch(/"(ana|ben)" approved it at|has ended/);
  });
});

describe('a conversation', () => {
  test('is shown with its calls, decisions, attempts and results', async () => {
    const { id, call } = await waiting('A-4');
    await perdure('approve', id, call, '--by', 'ana', '--reason', 'it was broken');
    await served.client.handle(id).result();
    const shown = await perdure('show', id);
    expect(shown.exitCode).toBe(0);
    for (const line of [
      /turn 1/,
      /user: A-4/,
      /agent: I look\./,
      /→ look up A-4 {2}look\(\{"order":"A-4"\}\)/,
      /ok .* \{"order":"A-4","cents":1200,"state":"delivered"\}/,
      /→ refund 12\.00 for A-4/,
      /approved by ana \(cli\): it was broken/,
      /agent: refunded/,
    ]) {
      expect(shown.stdout).toMatch(line);
    }
    const json = JSON.parse((await perdure('show', id, '--json')).stdout);
    expect(json).toMatchObject({ agent: 'desk', life: 'completed', hasFirstEntry: true });
    expect(json.calls).toHaveLength(2);
  });

  test('is watched to its end, and from any item on', async () => {
    const task = await served.client.start('echo', { message: 'hello' });
    await task.result();
    const watched = await perdure('watch', task.id, '--json');
    const items = watched.stdout.split('\n').map((line) => JSON.parse(line));
    const types = items.map(({ recorded }) => recorded.type);
    expect(types).toEqual(['started', 'entry', 'completion', 'ended']);
    const rest = await perdure('watch', task.id, '--from', items[1].cursor);
    expect(rest.stdout).toBe('you said: hello\ncompleted (answered)');
  });

  test('takes messages, a stop and a close', async () => {
    const chat = await served.client.start('echo', { mode: 'chat' });
    const sent = await perdure('send', chat.id, 'one', '--id', 'm1');
    expect(sent.stdout).toMatch(/^sent: turn 1 begins with it/);
    expect((await perdure('stop', chat.id, '--reason', 'enough')).exitCode).toBe(0);
    expect((await perdure('close', chat.id)).exitCode).toBe(0);
    await expect(chat.result()).resolves.toMatchObject({ stopReason: 'closed' });
    const listed = await perdure('ls', '--agent', 'echo', '--life', 'completed');
    expect(listed.stdout).toMatch(new RegExp(`${chat.id} +echo +completed`));
  });

  test('is cancelled', async () => {
    const chat = await served.client.start('echo', { mode: 'chat' });
    expect((await perdure('cancel', chat.id)).exitCode).toBe(0);
    await expect(chat.result()).rejects.toMatchObject({ end: 'cancelled' });
    expect((await perdure('cancel', chat.id)).stderr).toMatch(/has ended/);
  });

  test('is a chat, a turn for each line that is piped in', async () => {
    const { taskQueue, dataDirectory } = served;
    const where = ['--address', inject('temporalAddress'), '--task-queue', taskQueue];
    const chat = await runCli(['chat', 'echo', ...where, '--data-dir', dataDirectory], {
      input: 'one\n\ntwo\n',
    });
    expect(chat).toMatchObject({ exitCode: 0, stdout: 'you said: one\nyou said: two' });
  });
});

describe('without a server', () => {
  test('check lists agents and tools', async () => {
    const check = await runCli(['check', agentsFile('desk.ts')]);
    expect(check.exitCode).toBe(0);
    expect(check.stdout).toMatch(/desk {2}scripted\/desk-script[^]*refund +once +needs approval/);
    const json = JSON.parse((await runCli(['check', agentsFile('desk.ts'), '--json'])).stdout);
    expect(json.agents.map(({ name }: { name: string }) => name)).toEqual([
      'broken',
      'desk',
      'echo',
      'pair',
      'restless',
    ]);
  });

  test('every command explains itself', async () => {
    const help = await runCli(['--help']);
    const names = [...help.stdout.matchAll(/^ {2}([a-z]+) \[?/gm)].map(([, name]) => name);
    expect(names).toEqual(
      expect.arrayContaining(['dev', 'worker', 'run', 'chat', 'ls', 'show', 'watch', 'doctor']),
    );
    const page = await readFile(new URL('../../docs/cli.md', import.meta.url), 'utf8');
    const documented = [...page.matchAll(/^\| (`.*?`) +\|/gm)]
      .flatMap(([, cell = '']) => [...cell.matchAll(/`([a-z]+)/g)])
      .map(([, name]) => name);
    const commands = program().commands.map((command) => command.name());
    expect(new Set(documented)).toEqual(new Set(commands));
    const run = await runCli(['run', '--help']);
    expect(run.exitCode).toBe(0);
    expect(run.stdout).toMatch(/Exit codes: 0 completed, 1 failed/);
  });
});
