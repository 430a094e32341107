import { describe, expect, test } from 'vitest';
import {
  compactionDue,
  floorAfterCompletion,
  floorAfterFailure,
  nextContextTokens,
} from '../../src/core/compaction-due.ts';

describe('a compaction', () => {
  test('is due when what was counted and what came since pass the budget together', () => {
    expect(compactionDue({ contextTokens: 900, waitingTokens: 100 }, 1_000)).toBe(false);
    expect(compactionDue({ contextTokens: 900, waitingTokens: 101 }, 1_000)).toBe(true);
    expect(compactionDue({ contextTokens: 9_000_000, waitingTokens: 0 }, undefined)).toBe(false);
  });

  test('that could do nothing is due again only after a fifth more', () => {
    let context = { contextTokens: 1_000, waitingTokens: 200 };
    const compactionFloor = floorAfterFailure(context);
    expect(compactionDue({ ...context, compactionFloor }, 1_000)).toBe(false);
    context = { contextTokens: 1_440, waitingTokens: 0 };
    expect(compactionDue({ ...context, compactionFloor }, 1_000)).toBe(false);
    context = { contextTokens: 1_441, waitingTokens: 0 };
    expect(compactionDue({ ...context, compactionFloor }, 1_000)).toBe(true);
  });

  test('that brought too little is due again only after a fifth more than was counted then', () => {
    const compactionFloor = floorAfterCompletion('measure', 1_100, 1_000);
    expect(compactionFloor).toBe(1_320);
    expect(floorAfterCompletion(compactionFloor, 1_200, 1_000)).toBe(1_320);
  });

  test('that brought the context below the budget leaves the budget to hold', () => {
    expect(floorAfterCompletion('measure', 700, 1_000)).toBeUndefined();
    expect(floorAfterCompletion(1_320, 900, 1_000)).toBeUndefined();
    expect(floorAfterCompletion(undefined, 1_100, 1_000)).toBeUndefined();
  });

  test('is judged by both figures', () => {
    expect(nextContextTokens({ contextTokens: 2, waitingTokens: 3 })).toBe(5);
  });
});
