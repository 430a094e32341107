import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Decision } from '../../src/core/approval.ts';
import type { PlannedCall } from '../../src/core/call.ts';
import type { SettledCall } from '../../src/core/conversation-state.ts';
import type { ResultEntry } from '../../src/core/entry.ts';
import { settleBy, settleWithout } from '../../src/core/settle-call.ts';
import type { Memory } from '../../src/workflows/memory.ts';
import { type BatchEffects, runBatch } from '../../src/workflows/run-batch.ts';
import { buildCall, buildMemory } from '../support/build-memory.ts';

function ran(call: PlannedCall, outcome: SettledCall['outcome'] = 'ok'): SettledCall {
  return settleBy(`1.1.${call.index}`, {
    outcome,
    effect: 'happened',
    content: 'done',
    digest: `result${call.index}`,
    size: 4,
    tokens: 2,
  });
}

/** Per call, in transcript order: which call it answers, and how. */
function results(memory: Memory): string[] {
  return memory.headers.map(({ key, outcome }) => `${key?.match(/1\.1\.(\d+)/)?.[1]} ${outcome}`);
}

const neverAsked: BatchEffects['waitForDecisions'] = () => {
  throw new Error('nobody is asked here');
};

describe('a batch', () => {
  test('puts results in call order, whatever order the calls end in', async () => {
    const memory = buildMemory();
    const plan = [0, 1, 2].map((index) => buildCall(index));
    const endings: (() => void)[] = [];
    const batch = runBatch(
      memory,
      { plan, settled: [] },
      {
        runCall: (call) =>
          new Promise((resolve) => {
            endings[call.index] = () => resolve(ran(call));
          }),
        waitForDecisions: neverAsked,
        nowMs: () => 0,
      },
    );
    await expect.poll(() => endings.filter(Boolean)).toHaveLength(3);
    for (const index of [2, 0, 1]) endings[index]?.();
    expect(await batch).toBe('done');
    expect(results(memory)).toEqual(['0 ok', '1 ok', '2 ok']);
  });

  test('runs a call that asks once it is approved, and tells the model why another was denied', async () => {
    const memory = buildMemory();
    const plan = [
      buildCall(0, { verdict: 'ask' }),
      buildCall(1, { verdict: 'ask' }),
      buildCall(2, {
        verdict: { settled: { outcome: 'unknown_tool', effect: 'none', message: '' } },
      }),
    ];
    const began: string[] = [];
    await runBatch(
      memory,
      { plan, settled: [] },
      {
        runCall: async (call, edited) => {
          began.push(`${call.index} ${JSON.stringify(edited?.input ?? call.input)}`);
          return ran(call);
        },
        waitForDecisions: async (keys, onDecision) => {
          expect(memory.state.approvals.pending.map(({ request }) => request.key)).toEqual(keys);
          const at = '2026-01-01T00:00:00.000Z';
          const by = { id: 'p' };
          onDecision({
            key: keys[1] ?? '',
            decision: 'deny',
            by,
            at,
            reason: 'no way',
            verdicts: [],
          });
          const edited = { input: { index: 9 }, digest: 'e', originalDigest: 'o', by };
          onDecision({ key: keys[0] ?? '', decision: 'approve', by, at, verdicts: [], edited });
          return 'decided';
        },
        nowMs: () => 0,
      },
    );
    expect(began).toEqual(['0 {"index":9}']);
    expect(results(memory)).toEqual(['0 ok', '1 denied', '2 unknown_tool']);
    const denied = memory.state.items[1];
    expect(
      denied !== undefined && 'entry' in denied && (denied.entry as ResultEntry).content,
    ).toContain('no way');
  });

  test('asks about a call like one of which nobody knows whether it happened, and says so', async () => {
    const memory = buildMemory();
    const unknown = { outcome: 'outcome_unknown', effect: 'unknown', message: '' } as const;
    const plan = [buildCall(0), buildCall(1)];
    const place = { turn: 1, step: 1 };
    await runBatch(
      memory,
      { plan, settled: [] },
      {
        runCall: async (call) =>
          call.index === 0 ? settleWithout(call, place, unknown) : ran(call),
        waitForDecisions: neverAsked,
        nowMs: () => 0,
      },
    );
    const again = plan.map((call) =>
      buildCall(call.index, {
        ...call,
        key: `conversation/1.2.${call.index}.x`,
        verdict: 'ask',
        reason: 'the tool asks',
      }),
    );
    await runBatch(
      memory,
      { plan: again, settled: [] },
      {
        runCall: async (call) => ran(call),
        waitForDecisions: async () => 'hand_over',
        nowMs: () => 0,
      },
    );
    expect(memory.state.approvals.pending.map(({ request }) => request.reason)).toEqual([
      'the tool asks; the same call was made before, and it is not known whether that happened',
      'the tool asks',
    ]);
  });

  test('a state patch that does not apply makes the call a conflict, changes nothing, and the model reads why', async () => {
    const memory = buildMemory();
    memory.update({ shared: { state: { n: 1 }, version: 3 } });
    const plan = [buildCall(0, { effect: 'once' }), buildCall(1)];
    await runBatch(
      memory,
      { plan, settled: [] },
      {
        runCall: async (call) => ({
          ...ran(call),
          patch:
            call.index === 0
              ? [
                  { op: 'replace' as const, path: '/n', value: 5 },
                  { op: 'test' as const, path: '/n', value: 6 },
                ]
              : [{ op: 'add' as const, path: '/m', value: 2 }],
        }),
        waitForDecisions: neverAsked,
        nowMs: () => 0,
      },
    );
    expect(memory.state.shared).toEqual({ state: { n: 1, m: 2 }, version: 4 });
    expect(results(memory)).toEqual(['0 state_conflict', '1 ok']);
    const [conflict] = memory.state.items;
    expect(conflict).toMatchObject({
      entry: {
        callId: plan[0]?.callId,
        outcome: 'state_conflict',
        effect: 'happened',
        content: expect.stringMatching(/the state is unchanged[^]*\/n[^]*do not repeat it/),
      },
    });
  });

  test('whose calls start as they are decided is in flight until the last of them has ended', async () => {
    const memory = buildMemory({ runAsDecided: true, maxParallel: 1 });
    const plan = [0, 1, 2].map((index) => buildCall(index));
    const endings: (() => void)[] = [];
    let ended = 0;
    const batch = runBatch(
      memory,
      { plan, settled: [] },
      {
        runCall: (call) =>
          new Promise((resolve) => {
            endings.push(() => {
              ended += 1;
              resolve(ran(call));
            });
          }),
        waitForDecisions: neverAsked,
        nowMs: () => 0,
      },
    );
    while (ended < 3) {
      endings.shift()?.();
      // A hand-over that looks between two of them must not think that nothing runs.
      for (let tick = 0; tick < 20; tick++) {
        if (ended < 3) expect(memory.earlyCalls).toBeGreaterThan(0);
        await Promise.resolve();
      }
    }
    expect(await batch).toBe('done');
    expect(memory.earlyCalls).toBe(0);
  });

  test('any order of ends, failures, verdicts and stops gives one result per call, in call order', async () => {
    const calls = fc.array(
      fc.record({
        verdict: fc.constantFrom<'run' | 'ask' | 'settled'>('run', 'ask', 'settled'),
        parallelSafe: fc.boolean(),
        outcome: fc.constantFrom<SettledCall['outcome']>('ok', 'tool_failed', 'timeout'),
        decision: fc.constantFrom<Decision['decision']>('approve', 'deny', 'expire', 'cancel'),
      }),
      { minLength: 1, maxLength: 7 },
    );
    await fc.assert(
      fc.asyncProperty(
        calls,
        fc.scheduler(),
        fc.boolean(),
        fc.integer({ min: 1, max: 3 }),
        fc.option(fc.integer({ min: 0, max: 6 }), { nil: undefined }),
        async (given, scheduler, runAsDecided, maxParallel, stopAfter) => {
          const memory = buildMemory({ runAsDecided, maxParallel });
          const plan = given.map(({ verdict, parallelSafe }, index) =>
            buildCall(index, {
              parallelSafe,
              verdict:
                verdict === 'settled'
                  ? { settled: { outcome: 'invalid_input', effect: 'none', message: '' } }
                  : verdict,
            }),
          );
          let running = 0;
          let most = 0;
          let began = 0;
          const times = new Map<number, number>();
          const effects: BatchEffects = {
            nowMs: () => 0,
            async runCall(call) {
              running += 1;
              began += 1;
              most = Math.max(most, running);
              times.set(call.index, (times.get(call.index) ?? 0) + 1);
              await scheduler.schedule(Promise.resolve(), `run ${call.index}`);
              if (began === stopAfter) memory.stop = {};
              running -= 1;
              return ran(call, given[call.index]?.outcome);
            },
            async waitForDecisions(keys, onDecision) {
              for (const key of keys) {
                await scheduler.schedule(Promise.resolve(), `decide ${key}`);
                const index = plan.findIndex((call) => call.key === key);
                const decision = memory.stop === undefined ? given[index]?.decision : 'cancel';
                onDecision({ key, decision: decision ?? 'cancel', at: '', verdicts: [] });
              }
              return 'decided';
            },
          };
          const batch = runBatch(memory, { plan, settled: [] }, effects);
          await scheduler.waitFor(batch);
          expect(memory.headers.map(({ key }) => key)).toEqual(plan.map(({ key }) => key));
          expect(memory.state.items).toHaveLength(plan.length);
          expect([...times.values()].every((count) => count === 1)).toBe(true);
          expect(most).toBeLessThanOrEqual(maxParallel);
          const ready = given.filter(({ verdict }) => verdict !== 'settled');
          const isSerial = ready.some(({ parallelSafe }) => !parallelSafe);
          if (isSerial && !runAsDecided && given.every(({ verdict }) => verdict === 'run')) {
            expect(most).toBeLessThanOrEqual(1);
          }
          expect(memory.state.batch).toBeUndefined();
        },
      ),
      { numRuns: 400 },
    );
  });
});
