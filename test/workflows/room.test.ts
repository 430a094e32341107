import { describe, expect, test } from 'vitest';
import { receiveMessage } from '../../src/workflows/receive-message.ts';
import { buildMemory } from '../support/build-memory.ts';

const at = '2026-01-01T00:00:00.000Z';
const MB = 1_000_000;

/** What becomes of messages of so many characters, one after another. */
function taken(historyBytes: number, lengths: readonly number[]): boolean[] {
  const memory = buildMemory();
  memory.historyBytes = () => historyBytes;
  return lengths.map(
    (length) => 'answer' in receiveMessage(memory, { content: 'x'.repeat(length) }, at),
  );
}

describe('a run whose history is nearly as large as the server lets it be', () => {
  test('takes no more than what can still be moved to the blob store', () => {
    const large = Array.from({ length: 20 }, () => 1.9 * MB);
    expect(taken(1 * MB, large)).not.toContain(false);
    expect(taken(30 * MB, large).filter(Boolean)).toHaveLength(7);
    expect(taken(44 * MB, [1.9 * MB, 1_000])).toEqual([false, true]);
  });

  test('says that it is full for now', () => {
    const memory = buildMemory();
    memory.historyBytes = () => 50 * MB;
    expect(receiveMessage(memory, { content: 'hello' }, at)).toMatchObject({
      refusal: { code: 'inbox_full', message: expect.stringContaining('send it later') },
    });
  });
});
