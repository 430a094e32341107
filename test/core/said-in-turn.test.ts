import { describe, expect, test } from 'vitest';
import { partsOf, textOf } from '../../src/core/content.ts';
import type { Entry, View } from '../../src/core/entry.ts';
import { withSummary } from '../../src/core/compaction.ts';
import { saidInTurn } from '../../src/core/said-in-turn.ts';
import { render, transcriptOf } from './build-transcript.ts';

const step = { said: 0, noted: 'no', results: [10], failed: false, reasons: false } as const;
/** Two turns of three steps; the second begins with entry 7, "said 7". */
const entries: readonly Entry[] = transcriptOf(
  [step, step, step, { ...step, said: 1 }, step, step],
  false,
);
const cut: View = { cutBefore: 9, since: entries.length };

function shown(view: View): string {
  return render(entries, view)
    .flatMap((message) => (message.role === 'user' ? [textOf(partsOf(message.content))] : []))
    .join('\n');
}

describe('a summary in the middle of a turn', () => {
  test('shows the message that is being answered word for word, and the first one once', () => {
    const said = saidInTurn({ entries, view: undefined }, { upTo: 10, turn: 2 });
    expect(said).toEqual({ turn: 2, text: 'said 7' });
    const words = shown(withSummary({ view: cut, upTo: 10 }, 'So far.', said));
    expect(words).toMatch(/said 0[^]*So far\.[^]*word for word[^]*said 7/);
    expect(words.match(/said 0/g)).toHaveLength(1);
  });

  test('goes on showing it when the turn is summarised again, and no longer in the next turn', () => {
    const said = { turn: 2, text: 'said 7' };
    const view = { ...cut, summary: { content: 'So far.', upTo: 10, said } };
    // A worker has forgotten what a segment holds.
    const forgotten = entries.map((entry, n): Entry =>
      n > 0 && n < 10
        ? { kind: 'note', turn: 0, step: 0, code: 'forgotten', text: '', shown: false, at: '' }
        : entry,
    );
    expect(saidInTurn({ entries: forgotten, view }, { upTo: 12, turn: 2 })).toEqual(said);
    expect(saidInTurn({ entries: forgotten, view }, { upTo: 12, turn: 3 })).toBeUndefined();
  });

  test('has no more to say of a turn that began with the conversation, or behind the summary', () => {
    expect(saidInTurn({ entries, view: undefined }, { upTo: 5, turn: 1 })).toBeUndefined();
    expect(saidInTurn({ entries, view: undefined }, { upTo: 7, turn: 2 })).toBeUndefined();
  });

  test('says of a message that is very long how it begins', () => {
    const long = entries.map((entry, n): Entry =>
      n === 7 && entry.kind === 'user' ? { ...entry, content: 'x'.repeat(100_000) } : entry,
    );
    const said = saidInTurn({ entries: long, view: undefined }, { upTo: 10, turn: 2 });
    expect(said?.text).toHaveLength(4_000);
  });
});
