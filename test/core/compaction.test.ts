import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { partsOf, textOf } from '../../src/core/content.ts';
import { planCompaction } from '../../src/core/compaction.ts';
import type { View } from '../../src/core/entry.ts';
import type { RequestMessage } from '../../src/core/model-request.ts';
import { lintRequest } from '../../src/core/request-linter/lint-request.ts';
import { stepStarts } from '../../src/core/transcript-parts.ts';
import { render, resultTexts, transcripts, viewsOf } from './build-transcript.ts';
import { request } from './request-linter/build-request.ts';
import { violationsOf } from './request-linter/check-request.ts';

/** The machine may be busy: what counts is that the properties hold, not how fast. */
vi.setConfig({ testTimeout: 60_000 });

/** Merging neighbours is no mistake of the cut: turns without calls have none between them. */
function faultsOf(messages: readonly RequestMessage[]): string[] {
  const answer = lintRequest(request(messages), { format: 'own' });
  if ('problem' in answer) return [answer.problem.message];
  return [
    ...violationsOf(answer.request, 'own'),
    ...answer.repairs.filter(({ rule }) => rule !== 'turn-order').map(({ what }) => what),
  ];
}

describe('whatever the transcript', () => {
  test('it can be parted before every step’s start, and cut anywhere, and stays valid', () => {
    fc.assert(
      fc.property(transcripts, (entries) => {
        for (const upTo of stepStarts(entries)) {
          const view = {
            cutBefore: 0,
            since: entries.length,
            summary: { content: 'So far.', upTo },
          };
          expect(faultsOf(render(entries, view))).toEqual([]);
        }
        for (let cutBefore = 0; cutBefore <= entries.length; cutBefore += 1) {
          expect(faultsOf(render(entries, { cutBefore }))).toEqual([]);
        }
      }),
      { numRuns: 50 },
    );
  });

  test('a plan gives a valid request, also without its summary, and is smaller', () => {
    fc.assert(
      fc.property(
        transcripts,
        fc.nat({ max: 40_000 }),
        fc.constantFrom('budget', 'overflow'),
        (entries, budget, reason) => {
          const plan = planCompaction({ entries, view: undefined, reason, budget });
          const before = planCompaction({ entries, view: undefined, reason: 'budget' }).tokens;
          for (const view of viewsOf(plan)) expect(faultsOf(render(entries, view))).toEqual([]);
          if (plan.kind === 'none') expect(plan.tokens).toBe(before);
          else expect(plan.tokens).toBeLessThan(before);
        },
      ),
      { numRuns: 300 },
    );
  });

  test('the first user message, what was said last and the newest step always stay', () => {
    fc.assert(
      fc.property(transcripts, fc.nat({ max: 40_000 }), (entries, budget) => {
        const plan = planCompaction({ entries, view: undefined, reason: 'budget', budget });
        const lastTurn = entries.findLastIndex(({ kind }) => kind === 'assistant');
        const users = entries.filter((entry, n) => entry.kind === 'user' && n > lastTurn);
        for (const view of viewsOf(plan)) {
          const messages = render(entries, view);
          const words = JSON.stringify(messages);
          expect(textOf(partsOf(userWords(messages[0])))).toMatch(/^said 0/);
          for (const user of users) expect(words).toContain(`"said ${entries.indexOf(user)}"`);
          const whole = resultTexts(render(entries.slice(lastTurn), undefined));
          expect(resultTexts(messages).slice(-whole.length || Infinity)).toEqual(whole);
        }
      }),
      { numRuns: 300 },
    );
  });

  test('what is pending stays whole, with everything after it', () => {
    fc.assert(
      fc.property(transcripts, fc.nat(), fc.nat({ max: 20_000 }), (entries, nth, budget) => {
        const turns = entries.flatMap(({ kind }, n) => (kind === 'assistant' ? [n] : []));
        const pendingFrom = turns[nth % turns.length] ?? 0;
        const plan = planCompaction({
          entries,
          view: undefined,
          reason: 'overflow',
          budget,
          pendingFrom,
        });
        if (plan.kind === 'none') return;
        expect(plan.view.cutBefore).toBeLessThanOrEqual(pendingFrom);
        if (plan.kind === 'summarize') expect(plan.upTo).toBeLessThanOrEqual(pendingFrom);
      }),
    );
  });

  test('compacting again and again moves forward only, and ends', () => {
    fc.assert(
      fc.property(transcripts, fc.nat({ max: 5_000 }), (entries, budget) => {
        let view: View | undefined;
        let tokens = Infinity;
        for (let n = 0; n < 20; n += 1) {
          const plan = planCompaction({ entries, view, reason: 'budget', budget });
          if (plan.kind === 'none') return;
          const next = viewsOf(plan).at(-1);
          expect(next?.cutBefore).toBeGreaterThanOrEqual(view?.cutBefore ?? 0);
          expect(next?.summary?.upTo ?? 0).toBeGreaterThanOrEqual(view?.summary?.upTo ?? 0);
          expect(plan.tokens).toBeLessThan(tokens);
          tokens = plan.tokens;
          view = next;
        }
        throw new Error('it did not end');
      }),
    );
  });
});

const userWords = (message: RequestMessage | undefined) =>
  message?.role === 'user' ? message.content : '';
