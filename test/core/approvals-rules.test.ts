import { describe, expect, test } from 'vitest';
import {
  type ApprovalBook,
  decisionOf,
  DECIDED_CAPACITY,
  EMPTY_BOOK,
  publish,
  settleWithoutPerson,
} from '../../src/core/approval.ts';
import { nextDeadline, passDeadlines } from '../../src/core/approval-deadlines.ts';
import { type ApprovalSettings, DEFAULT_APPROVAL } from '../../src/core/approval-settings.ts';
import { carriedApprovals, inputsOf, replaceInput } from '../../src/core/carried-approvals.ts';
import { type Circumstances, judge } from '../../src/core/judge-verdict.ts';
import { newRequest, withTimeout } from '../../src/core/new-request.ts';
import { outcomeOfDecision } from '../../src/core/outcome-of-decision.ts';
import { parse } from '../../src/core/parse.ts';
import { MAX_RULES, type RememberedRule, withRule } from '../../src/core/remember-rules.ts';
import { revokeRule } from '../../src/core/revoke-rule.ts';
import { type Verdict, verdictSchema } from '../../src/core/verdict.ts';

const AT = '2026-01-01T00:00:00.000Z';
const ana = { id: 'ana' };
const ben = { id: 'ben' };

function asked(settings: Partial<ApprovalSettings> = {}, count = 1): ApprovalBook {
  const requests = Array.from({ length: count }, (_, index) =>
    newRequest(
      {
        kind: 'call',
        key: `c/1.1.${index}.k`,
        callId: `call_${index}`,
        tool: 'pay',
        input: { to: 'shop', cents: 5 },
        digest: 'd0',
        summary: 'pay',
        danger: true,
        reason: '',
      },
      { ...DEFAULT_APPROVAL, ...settings },
      0,
    ),
  );
  return publish(EMPTY_BOOK, requests);
}

function decide(
  book: ApprovalBook,
  verdict: Omit<Verdict, 'key' | 'decision'> & { readonly decision?: 'approve' | 'deny' },
  circumstances: Partial<Circumstances> = {},
) {
  return judge(
    book,
    { decision: 'approve', key: 'c/1.1.0.k', ...verdict },
    { at: AT, rules: [], isKnownCall: () => false, ...circumstances },
  );
}

function taken(judgement: ReturnType<typeof judge>) {
  if (judgement.kind !== 'taken') throw new Error(`expected taken, got ${judgement.kind}`);
  return judgement;
}

const NEW = { input: { to: 'shop', cents: 7 }, digest: 'd1', summary: 'pay 7' };

describe('several people', () => {
  test('an approval of arguments that were changed since counts no more, and its retry is answered as before', () => {
    const first = { by: ana, verdictId: 'v1' };
    const { book, answer } = taken(decide(asked({ quorum: 2 }), first));
    expect(answer).toMatchObject({ by: ana, stillNeeded: 1 });
    const edited = taken(decide(book, { by: ben, input: NEW.input }, { validated: NEW }));
    expect(edited).toMatchObject({ decided: false, answer: { stillNeeded: 1 } });
    const { stillNeeded: _, ...again } = answer;
    expect(decide(edited.book, first)).toEqual({ kind: 'repeated', answer: again });
    expect(decide(edited.book, { by: ana })).toMatchObject({
      kind: 'refused',
      refusal: { code: 'digest_mismatch', actual: 'd1', message: expect.stringContaining('ben') },
    });
    const both = taken(decide(edited.book, { by: ana, digest: 'd1' }));
    expect(both.decided).toBe(true);
    expect(decide(both.book, first)).toEqual({ kind: 'repeated', answer: again });
    expect(decisionOf(both.book, 'c/1.1.0.k')).toMatchObject({
      edited: { digest: 'd1', originalDigest: 'd0', by: ben },
      verdicts: [{ by: ben }, { by: ana }],
    });
  });

  test('one of them cannot answer for later calls', () => {
    expect(decide(asked({ quorum: 2 }), { by: ana, remember: 'conversation' })).toMatchObject({
      refusal: { code: 'not_allowed' },
    });
  });

  test('four eyes refuse everybody when nobody knows who started', () => {
    const book = asked({ notBy: 'starter' });
    expect(decide(book, { by: ana })).toMatchObject({ refusal: { code: 'not_allowed' } });
    expect(decide(book, { by: ana }, { starter: ben })).toMatchObject({ kind: 'taken' });
    expect(decide(book, { by: ana, decision: 'deny' })).toMatchObject({ kind: 'taken' });
  });
});

describe('what is remembered', () => {
  test('are the arguments that were approved, not those that were changed', () => {
    const exact = { scope: 'conversation', match: 'exact' } as const;
    const some = { scope: 'conversation', match: ['/cents'] } as const;
    const verdict = { by: ana, input: NEW.input };
    const { rules } = taken(decide(asked(), { ...verdict, remember: exact }, { validated: NEW }));
    expect(rules).toMatchObject([{ tool: 'pay', match: { kind: 'exact', digest: 'd1' } }]);
    const part = taken(
      decide(
        asked(),
        { ...verdict, remember: { ...some, match: [...some.match] } },
        { validated: NEW },
      ),
    );
    expect(part.rules).toMatchObject([{ match: { values: { '/cents': 7 } } }]);
  });

  test('must be there, must be small, and is kept once', () => {
    const remember = (match: string[]) =>
      decide(asked(), { by: ana, remember: { scope: 'conversation', match } });
    expect(remember(['/nowhere'])).toMatchObject({ refusal: { code: 'invalid_verdict' } });
    const large = { ...NEW, input: { text: 'x'.repeat(5_000) } };
    expect(
      decide(
        asked(),
        { by: ana, input: large.input, remember: { scope: 'conversation', match: ['/text'] } },
        { validated: large },
      ),
    ).toMatchObject({ refusal: { code: 'invalid_verdict', message: /4096/ } });
    const first = taken(decide(asked(), { by: ana, remember: 'conversation' }));
    const second = decide(asked(), { by: ana, remember: 'conversation' }, { rules: first.rules });
    expect(taken(second).rules).toEqual(first.rules);
  });

  test('is taken back by its id; of too many rules the oldest goes', () => {
    const rule = (n: number): RememberedRule => ({
      id: `r${n}`,
      tool: `tool${n}`,
      match: { kind: 'tool' },
      by: ana,
      at: AT,
    });
    let rules: readonly RememberedRule[] = [];
    for (let n = 0; n <= MAX_RULES; n++) rules = withRule(rules, rule(n));
    expect(rules.map(({ id }) => id)).toEqual(
      Array.from({ length: MAX_RULES }, (_, n) => `r${n + 1}`),
    );
    expect(revokeRule(rules, { rule: 'r7', by: ben }, AT)).toEqual({
      rules: rules.filter(({ id }) => id !== 'r7'),
      answer: { rule: 'r7', tool: 'tool7', by: ben, at: AT },
    });
    expect(revokeRule(rules, { rule: 'r0', by: ben }, AT)).toMatchObject({
      refusal: { code: 'unknown_rule' },
    });
  });
});

describe('deadlines', () => {
  const open = { keys: new Set(['c/1.1.0.k', 'c/1.1.1.k']), hasVerdict: () => false };

  test('expire a request in the very millisecond, unless a verdict about it is being checked', () => {
    const book = asked({ timeoutMs: 1_000 });
    expect(passDeadlines(book, open, 999).book).toBe(book);
    expect(nextDeadline(book, open.keys, 999)).toBe(1_000);
    expect(passDeadlines(book, open, 1_000).book.pending).toEqual([]);
    expect(passDeadlines(book, { ...open, hasVerdict: () => true }, 1_000).book).toBe(book);
  });

  test('remind once, and ask the next in the order of time', () => {
    const book = asked({
      askedOf: 'desk',
      remindAfterMs: 100,
      escalate: [
        { afterMs: 300, askedOf: 'boss' },
        { afterMs: 200, askedOf: 'lead' },
      ],
    });
    const at = (from: ApprovalBook, ms: number) => {
      const { book: passed, notes } = passDeadlines(from, open, ms);
      const { askedOf, remindedAt } = passed.pending[0]?.request ?? {};
      return { passed, askedOf, remindedAt, codes: notes.map(({ code }) => code) };
    };
    const first = at(book, 150);
    expect(first).toMatchObject({
      askedOf: 'desk',
      remindedAt: '1970-01-01T00:00:00.150Z',
      codes: ['approval_reminder'],
    });
    expect(at(first.passed, 199).codes).toEqual([]);
    const second = at(first.passed, 200);
    expect(second).toMatchObject({ askedOf: 'lead', codes: ['approval_escalated'] });
    expect(at(second.passed, 5_000)).toMatchObject({ askedOf: 'boss' });
    expect(at(book, 5_000)).toMatchObject({
      askedOf: 'boss',
      codes: ['approval_reminder', 'approval_escalated'],
    });
  });

  test('that end the turn settle what waits beside them', () => {
    const mixed = publish(
      asked({}, 2),
      asked({ timeoutMs: 10, expire: 'fail' }).pending.map((p) => ({
        ...p,
        request: { ...p.request, key: 'c/1.1.2.k' },
      })),
    );
    const keys = new Set(mixed.pending.map(({ request }) => request.key));
    const { book, failed } = passDeadlines(mixed, { ...open, keys }, 10);
    expect(failed).toBe('c/1.1.2.k');
    expect(book.decided.map(({ decision }) => decision)).toEqual(['expire', 'cancel', 'cancel']);
  });

  test('of a start only shorten, and have an end', () => {
    const hour = { ...DEFAULT_APPROVAL, timeoutMs: 3_600_000 };
    expect(withTimeout(hour, 1_000).timeoutMs).toBe(1_000);
    expect(withTimeout(hour, 9_000_000).timeoutMs).toBe(3_600_000);
    expect(withTimeout(DEFAULT_APPROVAL, 1_000).timeoutMs).toBe(1_000);
    expect(withTimeout(hour, undefined)).toBe(hour);
    expect(asked({ timeoutMs: 1e300 }).pending[0]?.request.expiresAt).toBe(
      '2069-12-07T00:00:00.000Z',
    );
  });
});

describe('the book', () => {
  test('forgets old decisions only when it asks anew: a batch of any size finds its own', () => {
    const count = DECIDED_CAPACITY + 50;
    const big = asked({}, count);
    const keys = big.pending.map(({ request }) => request.key);
    const stopped = settleWithoutPerson(big, keys, { decision: 'cancel', at: AT });
    expect(keys.every((key) => decisionOf(stopped, key) !== undefined)).toBe(true);
    expect(publish(stopped, asked().pending).decided).toHaveLength(DECIDED_CAPACITY);
  });

  test('carries edits that are yet to run, reasons that are yet to be told, and no text that history has', () => {
    const long = 'because '.repeat(100);
    const verdict = { by: ana, input: NEW.input, reason: long };
    const { book } = taken(decide(asked(), verdict, { validated: NEW }));
    expect(inputsOf(book, new Set(['c/1.1.0.k']))).toMatchObject([{ input: NEW.input }]);
    expect(inputsOf(book, new Set())).toEqual([]);
    const [carried] = carriedApprovals(book, new Set(['c/1.1.0.k'])).decided;
    expect(carried).toMatchObject({ edited: { input: NEW.input }, by: ana });
    expect(JSON.stringify(carried)).not.toContain('because');
    const [old] = carriedApprovals(book, new Set()).decided;
    expect(old).not.toHaveProperty('edited');
    const denied = taken(decide(asked(), { decision: 'deny', by: ana, reason: long })).book;
    // Nobody has told the model yet: it was denied while the run was handed over.
    expect(carriedApprovals(denied, new Set(['c/1.1.0.k'])).decided[0]?.reason).toBe(long);
    expect(JSON.stringify(carriedApprovals(denied, new Set()))).not.toContain('because');
    const half = taken(decide(asked({ quorum: 2 }), { by: ana, reason: long })).book;
    const [still] = carriedApprovals(half, new Set()).pending;
    expect(still?.request.verdicts[0]?.reason?.length).toBeLessThanOrEqual(200);
  });

  test('exchanges arguments by where they are kept, and nothing that came meanwhile', () => {
    const open = new Set(['c/1.1.0.k']);
    const book = asked({ quorum: 2 });
    const [input] = inputsOf(book, open);
    const { book: later } = taken(decide(book, { by: ana }));
    const blob = { blob: 'b', size: 9, preview: '' };
    const replaced = replaceInput(later, { key: 'c/1.1.0.k', digest: 'd0', ...input, input: blob });
    expect(replaced.pending[0]?.request).toMatchObject({ input: blob, verdicts: [{ by: ana }] });
    const edited = taken(decide(book, { by: ben, input: NEW.input }, { validated: NEW })).book;
    expect(replaceInput(edited, { key: 'c/1.1.0.k', digest: 'd0', input: blob })).toEqual(edited);
  });
});

describe('what a person says', () => {
  test('reaches the model word for word, as much as fits', () => {
    const { book } = taken(decide(asked(), { by: ana, decision: 'deny', reason: ' no\nway ' }));
    const decision = decisionOf(book, 'c/1.1.0.k');
    if (decision === undefined) throw new Error('it was decided');
    expect(outcomeOfDecision(decision)?.message).toBe('A person denied it and said:  no\nway ');
    expect(outcomeOfDecision(decision, 4)?.message).toBe('A person denied it and said:  no…');
  });

  test.each([
    ['nested too deep', { input: JSON.parse('['.repeat(5_000) + ']'.repeat(5_000)) as unknown }],
    ['a field with a name of megabytes', { ['x'.repeat(2_000_000)]: 1 }],
    [
      'unknown fields by the thousand',
      Object.fromEntries(Array.from({ length: 50_000 }, (_, n) => [`f${n}`, n])),
    ],
    ['no person', { by: undefined }],
    ['a name for a person', { by: 'ana' }],
    ['an empty id', { by: { id: '' } }],
    ['nothing to match', { remember: { scope: 'conversation', match: [] } }],
  ])('is refused in few words: %s', (_, fields) => {
    const parsed = parse(verdictSchema, { decision: 'approve', key: 'k', by: ana, ...fields });
    if (!('problems' in parsed)) throw new Error('it was taken');
    expect(parsed.problems.length).toBeGreaterThan(0);
    expect(parsed.problems.join().length).toBeLessThan(7_000);
  });

  test('is no verdict when it is bytes', () => {
    expect(parse(verdictSchema, new Uint8Array(2_000_000))).toMatchObject({
      problems: ['expected JSON, got bytes'],
    });
  });
});
