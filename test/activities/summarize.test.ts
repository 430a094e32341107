import { describe, expect, test } from 'vitest';
import { summarize } from '../../src/activities/compaction/summarize.ts';
import { ModelFailure } from '../../src/models/model.ts';
import { scripted, type ScriptedTurn } from '../../src/models/scripted.ts';
import { DEFAULT_COMPACTION } from '../../src/tools/compaction-options.ts';
import { request, text, user } from '../core/request-linter/build-request.ts';

const usage = { input: 1_000_000, cacheRead: 0, cacheWrite: 0, output: 0, reasoning: 0 };

function summaryOf(turn: ScriptedTurn) {
  const price = { input: 2, output: 1, cacheRead: 1, cacheWrite: 1 };
  const model = scripted(() => ({ usage, ...turn }), { id: 'summariser', price });
  const signal = new AbortController().signal;
  return summarize(model, request([user(text('Hello'))]), DEFAULT_COMPACTION, signal);
}

describe('a summary', () => {
  test('is what the model wrote, with what it cost', async () => {
    expect(await summaryOf({ text: 'They met.' })).toEqual({
      text: 'They met.',
      usage,
      model: 'summariser',
      cost: 2,
    });
  });

  test.each([
    ['is refused', { text: 'I would rather', stopReason: 'refused' }, 'refused to summarise'],
    ['is blank', { text: ' \n' }, 'wrote no summary'],
    [
      'fails after it was paid for',
      { fail: new ModelFailure('overloaded', 'busy', { usage }) },
      'busy',
    ],
  ] as const)('that %s is none, and what it cost counts all the same', async (_, turn, words) => {
    const summary = await summaryOf(turn);
    expect(summary).toMatchObject({ usage, model: 'summariser', cost: 2 });
    expect(summary).toHaveProperty('problem', expect.stringContaining(words));
    expect(summary).not.toHaveProperty('text');
  });

  test('that fails unpaid costs nothing', async () => {
    const summary = await summaryOf({ fail: new ModelFailure('overloaded', 'busy') });
    expect(summary).not.toHaveProperty('cost');
    expect(summary.usage.input).toBe(0);
  });
});
