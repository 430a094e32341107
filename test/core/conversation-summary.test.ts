import { describe, expect, test } from 'vitest';
import {
  addCall,
  EMPTY_SUMMARY,
  mayHaveHappened,
  presentSummary,
} from '../../src/core/conversation-summary.ts';
import type { EffectState } from '../../src/core/effect.ts';
import type { ConversationSummary } from '../../src/core/status.ts';

const call = (inputDigest: string, effectState: EffectState = 'none') =>
  ({ tool: 'search', inputDigest, outcome: 'ok', effectState }) as const;
const after = (...calls: readonly Parameters<typeof addCall>[1][]): ConversationSummary =>
  calls.reduce(addCall, EMPTY_SUMMARY);

describe('the summary of calls', () => {
  test('warns of the same call at the third time, and once', () => {
    expect(after(call('a'), call('b'), call('a')).warnings).toEqual([]);
    const warning = 'search was called 3 times with the same arguments';
    expect(after(call('a'), call('b'), call('a'), call('a')).warnings).toEqual([warning]);
    expect(after(call('a'), call('a'), call('a'), call('a')).warnings).toEqual([warning]);
  });

  test('counts by tool and outcome, and shows the calls that repeat', () => {
    const summary = after(call('a'), { ...call('b'), outcome: 'timeout' }, call('a'));
    expect(summary.calls).toEqual({ search: { ok: 2, timeout: 1 } });
    expect(presentSummary(summary).repeated).toEqual([
      { tool: 'search', inputDigest: 'a', times: 2 },
    ]);
  });

  test('stays small, however many different calls there are', () => {
    const many = Array.from({ length: 500 }, (_, n) => ({ ...call(`${n}`), tool: `tool_${n}` }));
    const summary = after(...many);
    expect(summary.repeated).toHaveLength(100);
    expect(Object.keys(summary.calls)).toHaveLength(201);
    expect(summary.calls['(others)']).toEqual({ ok: 300 });
  });

  test('remembers a call of which nobody knows whether it happened', () => {
    const summary = after(call('a', 'unknown'), call('a', 'happened'), call('b', 'happened'));
    expect(mayHaveHappened(summary, call('a'))).toBe(true);
    expect(mayHaveHappened(summary, call('b'))).toBe(false);
    expect(mayHaveHappened(summary, { ...call('a'), tool: 'other' })).toBe(false);
  });
});
