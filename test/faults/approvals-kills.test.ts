import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { type ConversationHandle, PerdureClient } from '../../src/client/index.ts';
import {
  eventsOf,
  eventually,
  expectNoFailedTask,
  notesOf,
  payments,
  resultsOf,
  startWaiting,
  untilTurn,
  type Waiting,
} from '../support/approvals.ts';
import { type CountingService, startCountingService } from '../support/counting-service.ts';
import { startWorkerProcess, type WorkerProcess } from '../support/worker-process.ts';

/**
 * Approvals that wait while workers are killed, one after another; all that people then say is said
 * while no worker is up. Each test looks at one conversation, once a worker is back.
 */

const TIMEOUT_MS = 4_000;
const ana = { id: 'ana' };
const ben = { id: 'ben' };

let service: CountingService;
let client: PerdureClient;
let dataDirectory: string;
let taskQueue: string;
const workers: WorkerProcess[] = [];

async function startWorker(): Promise<WorkerProcess> {
  const worker = await startWorkerProcess({
    fixture: new URL('approvals-kills.fixture.ts', import.meta.url),
    taskQueue,
    dataDirectory,
    options: { url: service.url, timeoutMs: TIMEOUT_MS },
  });
  workers.push(worker);
  return worker;
}

const waiting = (agent: string, start: Parameters<typeof startWaiting>[2], count: number) =>
  startWaiting(client, agent, start, count);

/** As the UI or the temporal CLI sends it. */
const signal = ({ id }: ConversationHandle, name: string, payload: object) =>
  client.temporal.workflow.getHandle(id).signal(name, payload);

const done = (kind: 'pay' | 'look', letter: string) =>
  service.of(kind).flatMap(({ what }) => (String(what).startsWith(letter) ? [what] : []));

const story: { [name: string]: Waiting } = {};
const of = (name: string): Waiting => {
  const waits = story[name];
  if (waits === undefined) throw new Error(`no conversation "${name}" waits`);
  return waits;
};

beforeAll(async () => {
  service = await startCountingService();
  dataDirectory = await mkdtemp(join(tmpdir(), 'perdure-approvals-kills-'));
  taskQueue = `approvals-kills-${randomUUID()}`;
  client = await PerdureClient.connect({
    address: inject('temporalAddress'),
    taskQueue,
    patience: { acceptMs: 500 },
  });
});

afterAll(async () => {
  await Promise.all(workers.map((worker) => worker.kill()));
  await client.close();
  await service.close();
  await rm(dataDirectory, { recursive: true, force: true });
});

/** With every worker down. */
async function sayAll(): Promise<void> {
  const told = of('told');
  const [one = '', two = '', three = '', four = ''] = told.keys;
  await signal(told.conversation, 'approve', { key: one, by: ana, verdictId: 'w' });
  await signal(told.conversation, 'approve', { key: one, by: ana, verdictId: 'w' });
  await signal(told.conversation, 'deny', { key: one, by: ben });
  await signal(told.conversation, 'deny', { key: two, by: ben, reason: 'not this one' });
  await signal(told.conversation, 'approve', {
    key: three,
    by: ana,
    input: { to: 'f', cents: 80 },
  });
  const receipt = await told.conversation.approve(four, { by: ana });
  expect(receipt).toMatchObject({ via: 'signal' });

  const late = of('late');
  const [first, second, third] = late.keys;
  await signal(late.conversation, 'approve', { key: first, by: ana });
  await signal(late.conversation, 'approve', {
    key: second,
    by: ana,
    input: { to: 'h', cents: 20 },
  });
  await signal(late.conversation, 'approve', { key: third, by: ana, input: { to: 'h' } });

  await signal(of('answered').conversation, 'message', { content: 'rather not', id: 'm' });
  await of('stopped').conversation.stop({ by: { id: 'boss' }, reason: 'not today' });
  await of('cancelled').conversation.cancel();
  const sent = await of('remembered').conversation.send(payments(['g', 2]));
  expect(sent).toMatchObject({ via: 'signal' });
}

describe('approvals that wait while workers are killed', () => {
  test('are asked, and answered while no worker is up', async () => {
    const chat = { mode: 'chat' } as const;
    const first = await startWorker();
    story['voted'] = await waiting('two_people', { message: payments(['a', 1]) }, 1);
    await of('voted').conversation.approve(of('voted').keys[0] ?? '', { by: ana, verdictId: 'v' });
    const message = JSON.stringify([
      ['look', { at: 'b' }],
      ['pay', { to: 'b', cents: 2 }],
    ]);
    story['hurried'] = await waiting('hurried', { message }, 1);
    story['answered'] = await waiting('answered', { ...chat, message: payments(['c', 3]) }, 1);
    story['stopped'] = await waiting('payer', { ...chat, message: payments(['d', 4]) }, 1);
    story['cancelled'] = await waiting('payer', { message: payments(['e', 5]) }, 1);
    story['told'] = await waiting(
      'payer',
      { message: payments(['f', 6], ['f', 7], ['f', 8], ['f', 9]) },
      4,
    );
    story['remembered'] = await waiting('payer', { ...chat, message: payments(['g', 1]) }, 1);
    const { conversation, keys } = of('remembered');
    await conversation.approve(keys[0] ?? '', { by: ana, remember: 'conversation' });
    await untilTurn(conversation, 1);
    await eventually(async () => {
      const { calls } = await of('hurried').conversation.record();
      return calls.map(({ result }) => result?.outcome);
    }).toEqual(['ok', undefined]);
    await first.kill();
    const second = await startWorker();
    story['late'] = await waiting(
      'timed',
      { message: payments(['h', 1], ['h', 2], ['h', 3], ['h', 4]) },
      4,
    );
    await second.kill();
    await eventually(async () => {
      const events = await eventsOf(of('late').conversation);
      return events.some(({ timerFiredEventAttributes }) => timerFiredEventAttributes != null);
    }).toBe(true);
    await sayAll();
    await startWorker();
  }, 120_000);

  test('verdicts, as signals and through the client, are each applied once; the audit has the refused', async () => {
    const { conversation, keys } = of('told');
    await conversation.result();
    expect(done('pay', 'f')).toHaveLength(3);
    expect(new Set(done('pay', 'f'))).toEqual(new Set(['f 6', 'f 80', 'f 9']));
    expect(await resultsOf(conversation)).toEqual([
      'ok: paid 6 to f',
      expect.stringContaining('A person denied it and said: not this one'),
      'ok: paid 80 to f',
      'ok: paid 9 to f',
    ]);
    const { calls } = await conversation.record();
    const ran = calls.map(({ attempts }) => attempts.filter(({ kind }) => kind === 'tool').length);
    expect(ran).toEqual([1, 0, 1, 1]);
    expect(await notesOf(conversation)).toMatchObject([
      { code: 'signal_refused', details: { code: 'already_decided', by: 'ben', key: keys[0] } },
    ]);
    await expectNoFailedTask(conversation);
  });

  test('a vote still counts, its retry is answered as the first time, and the second runs the call', async () => {
    const { conversation, keys } = of('voted');
    const [key = ''] = keys;
    expect((await conversation.approvals())[0]?.verdicts).toMatchObject([{ by: ana }]);
    const retried = await conversation.approve(key, { by: ana, verdictId: 'v' });
    expect(retried).toMatchObject({ via: 'update', by: ana });
    await expect(conversation.approve(key, { by: ana })).rejects.toMatchObject({
      code: 'not_allowed',
    });
    await conversation.approve(key, { by: ben });
    await conversation.result();
    expect(done('pay', 'a')).toEqual(['a 1']);
  });

  test('a free call that ran as decided ran once, and its result is kept', async () => {
    const { conversation, keys } = of('hurried');
    await conversation.approve(keys[0] ?? '', { by: ana });
    expect((await conversation.result()).text).toBe('saw b\n---\npaid 2 to b');
    expect(done('look', 'b')).toEqual(['b']);
    expect(done('pay', 'b')).toEqual(['b 2']);
  });

  test('a message denies where it is to, and enters the turn', async () => {
    const { conversation } = of('answered');
    expect(await untilTurn(conversation, 1)).toBe('heard: rather not');
    expect(await resultsOf(conversation)).toEqual([
      expect.stringContaining('The user sent a message instead (m).'),
    ]);
    expect(done('pay', 'c')).toEqual([]);
  });

  test('a stop and a cancel settle what waits', async () => {
    const stopped = of('stopped').conversation;
    await eventually(async () => (await stopped.status()).lastTurn?.stopReason).toBe('stopped');
    const cancelled = of('cancelled').conversation;
    await expect(cancelled.result()).rejects.toMatchObject({ end: 'cancelled' });
    await stopped.close();
    await stopped.result();
    for (const [conversation, words] of [
      [stopped, 'the turn was stopped by "boss": not today.'],
      [cancelled, 'the conversation was cancelled.'],
    ] as const) {
      expect(await resultsOf(conversation)).toEqual([
        expect.stringContaining(`It was still waiting for approval: ${words}`),
      ]);
    }
    expect([...done('pay', 'd'), ...done('pay', 'e')]).toEqual([]);
  });

  test('what was remembered lets the next call run', async () => {
    const { conversation } = of('remembered');
    expect(await untilTurn(conversation, 2)).toBe('paid 2 to g');
    expect(done('pay', 'g')).toEqual(['g 1', 'g 2']);
  });

  test('a verdict and a deadline that meet in one workflow task: the verdict holds', async () => {
    const { conversation, keys } = of('late');
    await conversation.result();
    expect(new Set(done('pay', 'h'))).toEqual(new Set(['h 1', 'h 20']));
    expect((await resultsOf(conversation)).map((text) => text.split(':')[0])).toEqual([
      'ok',
      'ok',
      'approval_expired',
      'approval_expired',
    ]);
    expect(await notesOf(conversation)).toMatchObject([
      { code: 'approval_expired', details: { key: keys[3] } },
      { code: 'verdict_refused', details: { code: 'invalid_input', key: keys[2], by: 'ana' } },
      { code: 'approval_expired', details: { key: keys[2] } },
    ]);
  });
});
