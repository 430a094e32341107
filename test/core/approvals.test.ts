import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decisionOf, pendingOf, settleWithoutPerson } from '../../src/core/approval.ts';
import { passDeadlines } from '../../src/core/approval-deadlines.ts';
import { carriedApprovals } from '../../src/core/carried-approvals.ts';
import { denyByMessage, keysDeniedByMessage } from '../../src/core/deny-by-message.ts';
import type { Verdict } from '../../src/core/verdict.ts';
import {
  type Edit,
  endWithoutPerson,
  expect as expectVerdict,
  type ModelRequest,
  STARTER,
} from './approvals-model.ts';
import { Conversation, HOUR, KEYS, OPEN, SETTINGS } from './approvals-real.ts';

interface Model {
  readonly requests: ModelRequest[];
}

type Command = fc.Command<Model, Conversation>;

/** What must hold after whatever happened. */
function check({ requests }: Model, real: Conversation): void {
  const { book } = real;
  for (const [index, request] of requests.entries()) {
    const key = KEYS[index] ?? '';
    const decision = decisionOf(book, key);
    const pending = pendingOf(book, key);
    expect(decision?.decision ?? 'waiting').toBe(request.state);
    expect(pending === undefined).toBe(decision !== undefined);
    expect(decision?.by?.id).toBe(request.state === 'waiting' ? undefined : request.lastBy);
    const runs = real.executed.filter((run) => run.startsWith(key));
    expect(runs).toEqual(request.state === 'approve' ? [`${key} ${request.digest}`] : []);
    if (request.state === 'approve') {
      const who = decision?.verdicts.map(({ by }) => by.id) ?? [];
      expect(new Set(who).size).toBeGreaterThanOrEqual(request.quorum);
      expect(request.notByStarter && who.includes(STARTER)).toBe(false);
    }
    if (pending !== undefined) {
      expect(pending.request.digest).toBe(request.digest);
      expect(pending.request.verdicts.map(({ by }) => by.id)).toEqual(request.approvers);
    }
  }
}

class Decide implements Command {
  readonly said: {
    readonly index: number;
    readonly by: string;
    readonly decision: 'approve' | 'deny';
    readonly edit: 'none' | 'same' | 'new' | 'other' | 'invalid';
    readonly digest: 'none' | 'seen' | 'stale';
    readonly verdictId: string | undefined;
  };

  constructor(said: Decide['said']) {
    this.said = said;
  }

  check(): boolean {
    return true;
  }

  run(model: Model, real: Conversation): void {
    const { index, by, decision, verdictId } = this.said;
    const request = model.requests[index];
    if (request === undefined) throw new Error('no such request');
    const isEdit = decision === 'approve' && this.said.edit !== 'none';
    const digests = { none: '', same: request.digest, new: 'd1', other: 'd2', invalid: '' };
    const edit: Edit = !isEdit
      ? undefined
      : this.said.edit === 'invalid'
        ? 'invalid'
        : { digest: digests[this.said.edit] };
    const verdict: Verdict = {
      decision,
      key: KEYS[index],
      by: { id: by },
      ...(verdictId === undefined ? {} : { verdictId }),
      ...(isEdit ? { input: { n: this.said.edit } } : {}),
      ...(this.said.digest === 'none'
        ? {}
        : { digest: this.said.digest === 'seen' ? request.digest : 'dx' }),
    };
    const before = real.text;
    const expected = expectVerdict(request, verdict, edit);
    expect(real.decide(verdict, edit)).toBe(expected);
    if (expected !== 'taken') expect(real.text).toBe(before);
    check(model, real);
  }

  toString(): string {
    return `decide ${JSON.stringify(this.said)}`;
  }
}

/** Anything that is no verdict. */
class Happens implements Command {
  readonly what:
    | { readonly kind: 'time'; readonly ms: number }
    | { readonly kind: 'hand_over' | 'message' | 'stop' };

  constructor(what: Happens['what']) {
    this.what = what;
  }

  check(): boolean {
    return true;
  }

  run(model: Model, real: Conversation): void {
    switch (this.what.kind) {
      case 'time': {
        real.nowMs += this.what.ms;
        const open = { keys: OPEN, hasVerdict: () => false };
        const { book, notes } = passDeadlines(real.book, open, real.nowMs);
        const expiredNow = model.requests.filter(
          ({ state, expiresAtMs }) =>
            state === 'waiting' && (expiresAtMs ?? Infinity) <= real.nowMs,
        );
        expect(notes.filter(({ code }) => code === 'approval_expired')).toHaveLength(
          expiredNow.length,
        );
        for (const request of expiredNow) endWithoutPerson(request, 'expire');
        real.keep(book);
        break;
      }
      case 'hand_over':
        real.keep(carriedApprovals(real.book, OPEN));
        break;
      case 'message': {
        const keys = keysDeniedByMessage(real.book);
        const book = denyByMessage(real.book, keys, { id: 'm1', at: real.at });
        for (const request of model.requests) {
          if (request.deniedByMessage) endWithoutPerson(request, 'deny');
        }
        real.keep(book);
        break;
      }
      case 'stop': {
        const end = { decision: 'cancel' as const, at: real.at, reason: 'stopped' };
        for (const request of model.requests) endWithoutPerson(request, 'cancel');
        real.keep(settleWithoutPerson(real.book, KEYS, end));
      }
    }
    check(model, real);
  }

  toString(): string {
    return JSON.stringify(this.what);
  }
}

const verdicts = fc
  .record({
    index: fc.nat({ max: SETTINGS.length - 1 }),
    by: fc.constantFrom('ana', 'ben', STARTER),
    decision: fc.constantFrom<'approve' | 'deny'>('approve', 'approve', 'approve', 'deny'),
    edit: fc.constantFrom<Decide['said']['edit']>(
      'none',
      'none',
      'same',
      'new',
      'other',
      'invalid',
    ),
    digest: fc.constantFrom<Decide['said']['digest']>('none', 'none', 'seen', 'stale'),
    verdictId: fc.constantFrom(undefined, undefined, 'v1', 'v2'),
  })
  .map((said) => new Decide(said));
const happenings = fc
  .oneof(
    {
      weight: 4,
      arbitrary: fc.record({ kind: fc.constant('time' as const), ms: fc.nat({ max: HOUR }) }),
    },
    { weight: 4, arbitrary: fc.constant({ kind: 'hand_over' as const }) },
    { weight: 1, arbitrary: fc.constant({ kind: 'message' as const }) },
    { weight: 1, arbitrary: fc.constant({ kind: 'stop' as const }) },
  )
  .map((what) => new Happens(what));

describe('whatever comes in whatever order', () => {
  test('a call runs at most once, with what was approved, and has one result; the book tells the truth', () => {
    fc.assert(
      fc.property(
        fc.commands([verdicts, verdicts, verdicts, happenings], { maxCommands: 60 }),
        (commands) => {
          const model: Model = {
            requests: SETTINGS.map((settings) => ({
              state: 'waiting',
              quorum: settings.quorum,
              notByStarter: settings.notBy === 'starter',
              expiresAtMs: settings.timeoutMs,
              deniedByMessage: settings.onMessageWhileWaiting === 'deny',
              digest: 'd0',
              isEdited: false,
              approvers: [],
              counted: [],
              lastBy: undefined,
            })),
          };
          const real = new Conversation();
          fc.modelRun(() => ({ model, real }), commands);
          // The turn ends: what still waits is settled.
          new Happens({ kind: 'stop' }).run(model, real);
          expect([...real.results.keys()].toSorted()).toEqual(KEYS);
        },
      ),
      { numRuns: 2_000 },
    );
  });
});
