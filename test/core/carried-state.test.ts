import { describe, expect, test } from 'vitest';
import { type ApprovalBook, DECIDED_CAPACITY, publish, settle } from '../../src/core/approval.ts';
import { carriedState } from '../../src/core/carried-state.ts';
import type { ConversationState } from '../../src/core/conversation-state.ts';
import { enqueue, INBOX_CAPACITY } from '../../src/core/inbox.ts';
import { utf8Bytes } from '../../src/core/slices.ts';
import { Memory } from '../../src/workflows/memory.ts';
import { buildCall, buildMemory } from '../support/build-memory.ts';

const KIB = 1024;
const at = '2026-01-01T00:00:00.000Z';
const segment = { blob: 'b'.repeat(64), count: 12, digest: 'd'.repeat(64) };
const by = { id: 'floor-lead', name: 'A floor lead', via: 'the web' };

const bytesOf = (state: ConversationState) => utf8Bytes(JSON.stringify(state));

/** A conversation with so much pending, each piece as large as it may be carried inline. */
function busy(count: { calls: number; decided: number; messages: number }): ConversationState {
  const { state } = buildMemory();
  const input = { text: 'x'.repeat(2_000) };
  const plan = Array.from({ length: count.calls }, (_, index) =>
    buildCall(index, { verdict: 'ask', input, reason: 'its tool asks for approval' }),
  );
  let approvals: ApprovalBook = publish(
    state.approvals,
    plan.map((call) => ({
      request: {
        kind: 'call',
        key: call.key,
        callId: call.callId,
        tool: call.tool,
        input,
        digest: call.inputDigest,
        summary: call.summary,
        danger: true,
        reason: call.reason ?? '',
        requestedAt: at,
        verdicts: [],
      },
      settings: state.spec.settings.approval,
      requestedAtMs: 0,
    })),
  );
  for (let n = 0; n < count.decided; n++) {
    const reason = 'r'.repeat(10_000);
    approvals = settle(approvals, {
      key: `conversation/0.${n}.0.key`,
      decision: 'approve',
      by,
      at,
      reason,
      verdicts: [{ decision: 'approve', by, at, reason, verdictId: `verdict-${n}` }],
    });
  }
  let { inbox } = state;
  for (let n = 0; n < count.messages; n++) {
    const id = `00000000-0000-0000-0000-${String(n).padStart(12, '0')}`;
    inbox = enqueue(
      inbox,
      { id, content: 'm'.repeat(2_000), by, at, when: 'queue' },
      { id, turn: 2, state: 'queued' },
    );
  }
  return { ...state, batch: { plan, settled: plan.map(() => null) }, approvals, inbox };
}

function carried(state: ConversationState): ConversationState {
  return carriedState(state, { run: 'run', segment, sent: state.items.length });
}

describe('what a run hands over', () => {
  test('is small in the usual case', () => {
    const state = busy({ calls: 8, decided: 50, messages: 5 });
    expect(bytesOf(carried(state))).toBeLessThan(128 * KIB);
  });

  test('fits a payload when everything is full', () => {
    const state = busy({ calls: 128, decided: DECIDED_CAPACITY, messages: INBOX_CAPACITY });
    expect(bytesOf(carried(state))).toBeLessThan(1_500_000);
  });

  test('has what was said too late for the segment, and nothing that the segment has', () => {
    const memory = buildMemory();
    memory.note('early', 'in the segment', at);
    const sent = memory.state.items.length;
    memory.note('late', 'after it', at);
    const state = carriedState(memory.state, { run: 'run', segment, sent });
    expect(state.items).toMatchObject([{ entry: { code: 'late' } }]);
    expect(state).toMatchObject({ segment, position: { run: 'run', count: 12 } });
  });

  test('tells the next run of a stop that no turn has seen, once', () => {
    const { state } = buildMemory();
    const stop = { reason: 'enough', by: { id: 'a' } };
    expect(carriedState(state, { run: 'run', segment, sent: 0, stop }).stop).toEqual(stop);
    expect(carried(state)).not.toHaveProperty('stop');
  });

  test('tells the next run how many messages that stop is about: later ones begin a turn', () => {
    const { running: _, ...idle } = buildMemory().state;
    const stop = { reason: 'enough' };
    const message = { content: 'm', at, when: 'queue' as const };
    const queued = ['before', 'behind'].map((id) => ({ ...message, id }));
    const state = { ...idle, inbox: { queued, seen: [] } };
    const point = { run: 'run', segment, sent: 0, stop };
    const stopped = carriedState(state, { ...point, stoppedMessages: 1 });
    const next = new Memory(stopped, 'next', () => {});
    expect(next.stoppedMessages).toBe(1);
    expect(next.state).not.toHaveProperty('stoppedMessages');
    // An older run did not say.
    expect(new Memory(carriedState(state, point), 'next', () => {}).stoppedMessages).toBe(2);
  });

  test('is listed by the next run, and placed in the completion that it enters', () => {
    const memory = buildMemory();
    memory.note('late', 'after the segment', at);
    const state = carriedState(memory.state, {
      run: 'run',
      segment,
      sent: memory.state.items.length - 1,
    });
    const next = new Memory(state, 'next', () => {});
    next.addEntry({ kind: 'user', turn: 2, step: 0, id: 'm', content: 'and?', at });
    expect(next.headers).toMatchObject([
      { n: 12, kind: 'note', preview: 'after the segment' },
      { n: 13, kind: 'user', preview: 'and?' },
    ]);
    next.advance(2, { count: 15, digest: 'f' }, '2.1.model', {
      turn: 2,
      step: 1,
      size: 0,
      preview: '',
    });
    expect(next.headers.map(({ n, at: place }) => ({ n, ...place }))).toEqual([
      { n: 12, run: 'next', inputOf: '2.1.model', item: 0 },
      { n: 13, run: 'next', inputOf: '2.1.model', item: 1 },
      { n: 14, run: 'next', activityId: '2.1.model' },
    ]);
  });

  test('names the segment for results of a batch that still waits', () => {
    const memory = buildMemory();
    const settled = [
      {
        item: { activityId: '1.1.0', digest: 'e'.repeat(64) },
        outcome: 'ok' as const,
        effect: 'happened' as const,
        size: 1,
        tokens: 1,
        preview: '',
      },
      null,
    ];
    memory.update({ batch: { plan: [buildCall(0), buildCall(1)], settled } });
    expect(carried(memory.state).batch?.settled).toMatchObject([
      { item: { activityId: '1.1.0', segment: segment.blob } },
      null,
    ]);
  });
});
