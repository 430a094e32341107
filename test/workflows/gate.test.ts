import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ApprovalSettings } from '../../src/core/approval-settings.ts';
import type { Verdict } from '../../src/core/verdict.ts';
import { SimulatedApprovals } from './simulated-approvals.ts';

const CALLS: readonly Partial<ApprovalSettings>[] = [
  {},
  { quorum: 2, notBy: 'starter' },
  { timeoutMs: 100, remindAfterMs: 20, escalate: [{ afterMs: 50, askedOf: 'boss' }] },
  { onMessageWhileWaiting: 'deny' },
];

interface SentVerdict {
  readonly kind: 'verdict';
  readonly index: number;
  readonly by: string;
  readonly decision: 'approve' | 'deny';
  readonly edit: 'none' | 'valid' | 'invalid';
  readonly digest: 'none' | 'd0' | 'd1';
  readonly from: 'signal' | 'update';
}

type Action =
  | SentVerdict
  | { readonly kind: 'pass'; readonly ms: number }
  | { readonly kind: 'hand_over'; readonly during: SentVerdict | undefined }
  | {
      readonly kind: 'validated' | 'call_ends' | 'settle' | 'message' | 'stop' | 'cancel';
    };

const reasonOf = (by: string) => `for ${by} says so`;

function send(world: SimulatedApprovals, verdict: SentVerdict): void {
  const { by, decision, digest, edit, from, index } = verdict;
  const isEdit = edit !== 'none' && decision === 'approve';
  world.decide(
    {
      decision,
      key: world.keys[index] ?? '',
      by: { id: by },
      ...(decision === 'deny' ? { reason: reasonOf(by) } : {}),
      ...(isEdit ? { input: edit === 'valid' ? { digest: 'd1' } : {} } : {}),
      ...(digest === 'none' ? {} : { digest }),
    },
    from,
  );
}

function act(world: SimulatedApprovals, action: Action): Promise<void> | void {
  switch (action.kind) {
    case 'verdict':
      return send(world, action);
    case 'pass':
      return world.pass(action.ms);
    case 'validated':
      return world.finishValidation();
    case 'call_ends':
      return world.finishCall();
    case 'settle':
      return world.settle();
    case 'hand_over':
      return world.handOver({
        during: () => {
          if (action.during !== undefined) send(world, action.during);
        },
      });
    case 'message':
      return world.say('m');
    case 'stop':
    case 'cancel':
      return world.end(action.kind);
  }
}

async function untilEnded(world: SimulatedApprovals): Promise<void> {
  await world.settle();
  for (let round = 0; round < 50 && world.ended === undefined; round++) {
    world.finishValidation();
    world.finishCall();
    await world.settle();
    if (round === 25) world.end('stop');
  }
}

function resultText({ memory }: SimulatedApprovals, key: string): string {
  const item = memory.state.items.find(
    (each) => 'entry' in each && each.entry.kind === 'result' && each.entry.key === key,
  );
  return JSON.stringify(item);
}

/** What must be true of every batch that ended, whatever happened to it. */
function check(world: SimulatedApprovals): void {
  expect(world.ended).toBeDefined();
  const results = world.memory.headers.filter(({ kind }) => kind === 'result');
  expect(results.map(({ key }) => key)).toEqual(world.keys);
  expect(world.ran).toHaveLength(world.ranBeforeStop ?? world.ran.length);
  for (const [index, key] of world.keys.entries()) {
    const outcome = results[index]?.outcome;
    const runs = world.ran.filter((ran) => ran.key === key);
    const counted = world.sent.filter(
      ({ key: about, fate }) => about === key && fate !== undefined && 'answer' in fate,
    );
    const denials = counted.filter(({ decision }) => decision === 'deny');
    expect(runs.length).toBeLessThanOrEqual(1);
    expect(runs.length === 1).toBe(outcome === 'ok');
    // Everybody has an answer, and the answers agree with what happened.
    expect(world.sent.every(({ fate }) => fate !== undefined)).toBe(true);
    expect(denials.length).toBeLessThanOrEqual(1);
    const [denial] = denials;
    if (denial !== undefined) {
      expect(outcome).toBe('denied');
      expect(resultText(world, key)).toContain(reasonOf(denial.by));
    }
    if (outcome === 'denied') expect(denials.length === 1 || index === 3).toBe(true);
    const [run] = runs;
    if (run === undefined) continue;
    const people = new Set(counted.map(({ by }) => by));
    expect(people.size).toBeGreaterThanOrEqual(CALLS[index]?.quorum ?? 1);
    if (CALLS[index]?.notBy === 'starter') expect(people).not.toContain('starter');
  }
}

const verdict = fc.record({
  kind: fc.constant('verdict' as const),
  index: fc.nat({ max: CALLS.length - 1 }),
  by: fc.constantFrom('ana', 'ben', 'starter'),
  decision: fc.constantFrom<'approve' | 'deny'>('approve', 'approve', 'deny'),
  edit: fc.constantFrom<'none' | 'valid' | 'invalid'>('none', 'none', 'valid', 'invalid'),
  digest: fc.constantFrom<'none' | 'd0' | 'd1'>('none', 'none', 'd0', 'd1'),
  from: fc.constantFrom<'signal' | 'update'>('signal', 'update'),
});
const often = fc.constantFrom<Action>(
  { kind: 'settle' },
  { kind: 'settle' },
  { kind: 'validated' },
  { kind: 'call_ends' },
);
const seldom = fc.constantFrom<Action>({ kind: 'message' }, { kind: 'stop' }, { kind: 'cancel' });
const action: fc.Arbitrary<Action> = fc.oneof(
  { weight: 8, arbitrary: verdict },
  { weight: 6, arbitrary: often },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('hand_over' as const),
      during: fc.option(verdict, { nil: undefined }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('pass' as const), ms: fc.nat({ max: 60 }) }),
  },
  { weight: 1, arbitrary: seldom },
);

describe('a batch that waits for people', () => {
  test('ends with one result per call and at most one run, whatever comes in whatever order', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(action, { maxLength: 40 }),
        fc.boolean(),
        async (actions, runAsDecided) => {
          const world = new SimulatedApprovals(CALLS, runAsDecided);
          await world.settle();
          for (const each of actions) await act(world, each);
          await untilEnded(world);
          check(world);
        },
      ),
      { numRuns: 800 },
    );
  });

  const approve = (by: string, more: Pick<Verdict, 'input'> = {}) => ({
    decision: 'approve' as const,
    by: { id: by },
    ...more,
  });

  test('a verdict that comes while another’s new arguments are validated does not overtake it', async () => {
    const world = new SimulatedApprovals([{}], false);
    const [key = ''] = world.keys;
    world.decide({ key, ...approve('ana', { input: { digest: 'd1' } }) }, 'update');
    await world.settle();
    world.decide({ key, ...approve('ben') }, 'update');
    await world.settle();
    world.finishValidation();
    await world.settle();
    expect(world.ran).toEqual([{ key, digest: 'd1' }]);
    expect(world.sent).toMatchObject([
      { fate: { answer: { by: { id: 'ana' } } } },
      { fate: { refusal: { code: 'already_decided', by: { id: 'ana' } } } },
    ]);
  });

  test('is decided by the next in order when the first’s new arguments do not fit', async () => {
    const world = new SimulatedApprovals([{}], false);
    const [key = ''] = world.keys;
    world.decide({ key, ...approve('ana', { input: {} }) }, 'signal');
    world.decide({ key, ...approve('ben') }, 'signal');
    await world.settle();
    world.finishValidation();
    await world.settle();
    expect(world.ran).toEqual([{ key, digest: 'd0' }]);
    expect(world.sent.map(({ fate }) => fate)).toMatchObject([
      { refusal: { code: 'invalid_input' } },
      { answer: { by: { id: 'ben' } } },
    ]);
  });

  test('new arguments that are being validated go before a message that denies, and before nothing else', async () => {
    for (const input of [{ digest: 'd1' }, {}]) {
      const world = new SimulatedApprovals([{ onMessageWhileWaiting: 'deny' }], false);
      const [key = ''] = world.keys;
      await world.settle();
      world.decide({ key, ...approve('ana', { input }) }, 'update');
      await world.settle();
      world.say('m');
      world.decide({ key, ...approve('ben') }, 'update');
      await world.settle();
      world.finishValidation();
      await untilEnded(world);
      const fits = 'digest' in input;
      expect(world.ran).toEqual(fits ? [{ key, digest: 'd1' }] : []);
      const outcome = world.memory.headers.find(({ kind }) => kind === 'result')?.outcome;
      expect(outcome).toBe(fits ? 'ok' : 'denied');
      expect(world.sent).toMatchObject([
        { fate: fits ? { answer: { by: { id: 'ana' } } } : { refusal: { code: 'invalid_input' } } },
        { fate: { refusal: { code: 'not_pending' } } },
      ]);
      // What was said enters the running turn, whatever became of the call.
      expect(world.memory.state.inbox.queued.at(-1)).toMatchObject({ id: 'm', when: 'steer' });
    }
  });

  test('a verdict whose arguments are being validated goes before the deadline that passes meanwhile', async () => {
    for (const input of [{ digest: 'd1' }, {}]) {
      const world = new SimulatedApprovals([{ timeoutMs: 10 }], false);
      const [key = ''] = world.keys;
      await world.settle();
      world.decide({ key, ...approve('ana', { input }) }, 'signal');
      world.pass(50);
      await world.settle();
      world.finishValidation();
      await untilEnded(world);
      const outcome = world.memory.headers.find(({ kind }) => kind === 'result')?.outcome;
      expect(outcome).toBe('digest' in input ? 'ok' : 'approval_expired');
    }
  });

  test('a stream of new arguments that do not fit holds up no deadline: what comes after it is late', async () => {
    const world = new SimulatedApprovals([{ timeoutMs: 10 }], false);
    const [key = ''] = world.keys;
    const misfit = () => world.decide({ key, ...approve('ana', { input: {} }) }, 'signal');
    await world.settle();
    misfit();
    await world.settle();
    world.pass(50);
    misfit();
    world.finishValidation();
    await world.settle();
    misfit();
    world.decide({ key, ...approve('ben') }, 'update');
    world.finishValidation();
    await world.settle();
    expect(world.ended).toBe('done');
    expect(world.memory.headers.find(({ kind }) => kind === 'result')?.outcome).toBe(
      'approval_expired',
    );
    expect(world.sent.map(({ fate }) => fate)).toMatchObject([
      { refusal: { code: 'invalid_input' } },
      { refusal: { code: 'invalid_input' } },
      { refusal: { code: 'not_pending' } },
      { refusal: { code: 'not_pending' } },
    ]);
  });

  test('takes a hundred verdicts with new arguments at once, and tells the next to try again', async () => {
    const world = new SimulatedApprovals([{}], false);
    const [key = ''] = world.keys;
    for (let n = 0; n < 101; n++) {
      world.decide({ key, ...approve('ana', { input: {} }) }, 'signal');
    }
    await untilEnded(world);
    expect(world.sent.at(-1)?.fate).toMatchObject({ refusal: { code: 'inbox_full' } });
    expect(world.sent.filter(({ fate }) => fate !== undefined)).toHaveLength(101);
  });

  test('a verdict that is the first thing of a new run goes before a deadline that passed between the runs', async () => {
    const world = new SimulatedApprovals([{ timeoutMs: 10 }], false);
    const [key = ''] = world.keys;
    await world.settle();
    world.handOver({
      first: () => {
        world.pass(50);
        world.decide({ key, ...approve('ana', { input: { digest: 'd1' } }) }, 'signal');
      },
    });
    await untilEnded(world);
    expect(world.runs).toBe(2);
    expect(world.ran).toEqual([{ key, digest: 'd1' }]);
  });

  test('does not go on as a new run while a call that was started early is not done', async () => {
    const world = new SimulatedApprovals([{}, {}], true);
    const [first = '', second = ''] = world.keys;
    await world.settle();
    world.decide({ key: first, ...approve('ana') }, 'update');
    await world.settle();
    world.handOver();
    await world.settle();
    expect(world.runs).toBe(1);
    world.finishCall();
    await world.settle();
    expect(world.runs).toBe(2);
    world.decide({ key: second, ...approve('ana') }, 'update');
    await untilEnded(world);
    expect(world.ended).toBe('done');
    expect(world.ran.map(({ key }) => key)).toEqual([first, second]);
  });

  test('carries a batch in which a later call was decided before an earlier one', async () => {
    const world = new SimulatedApprovals([{}, {}, {}], false);
    const [first = '', second = '', third = ''] = world.keys;
    const deny = (key: string) =>
      world.decide({ key, decision: 'deny', by: { id: 'ana' } }, 'update');
    await world.settle();
    deny(third);
    await world.settle();
    expect(world.memory.state.batch?.settled).toEqual([null, null, expect.any(Object)]);
    world.handOver();
    await world.settle();
    world.decide({ key: first, ...approve('ana') }, 'update');
    deny(second);
    await untilEnded(world);
    expect(world.ran.map(({ key }) => key)).toEqual([first]);
  });

  test('says in each result what ended the wait', async () => {
    for (const [how, words] of [
      ['stop', 'the turn was stopped by "boss": enough.'],
      ['cancel', 'the conversation was cancelled.'],
    ] as const) {
      const world = new SimulatedApprovals([{}], false);
      await world.settle();
      world.end(how);
      await untilEnded(world);
      const [item] = world.memory.state.items;
      expect(JSON.stringify(item)).toContain(JSON.stringify(words).slice(1, -1));
    }
  });
});
