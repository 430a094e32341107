import { describe, expect, test } from 'vitest';
import { chainDigest, digestOf } from '../../../src/activities/transcript/digest.ts';
import { segmentOf } from '../../../src/activities/segment.ts';
import type { BlobStore } from '../../../src/blobs/blob-store.ts';
import type { AssistantEntry, Entry, View } from '../../../src/core/entry.ts';
import { renderTranscript } from '../../../src/core/render-transcript.ts';
import { historyOf } from '../../support/history-of-runs.ts';
import { RecordedRun } from '../../support/recorded-run.ts';
import { newReader, newStore } from './new-reader.ts';

const SIZE = 2_000;

async function continued(blobs: BlobStore, before: RecordedRun): Promise<RecordedRun> {
  const segment = await before.handOver(blobs);
  return RecordedRun.begin({ continues: before, segment, input: { resumed: { segment } } });
}

/** Three runs of two pairs each, large enough that memory tells. */
async function threeRuns(blobs: BlobStore) {
  const first = await RecordedRun.begin();
  for (const n of [1, 2]) await first.pair(`${n} ${'x'.repeat(SIZE)}`);
  const second = await continued(blobs, first);
  for (const n of [3, 4]) await second.pair(`${n} ${'x'.repeat(SIZE)}`);
  const third = await continued(blobs, second);
  for (const n of [5, 6]) await third.pair(`${n} ${'x'.repeat(SIZE)}`);
  return { third, history: historyOf([first, second, third]) };
}

/** Counts which blobs are read. */
function counted(blobs: BlobStore): BlobStore & { readonly asked: string[] } {
  const asked: string[] = [];
  return {
    ...blobs,
    asked,
    get: (conversation, sha256) => {
      asked.push(sha256);
      return blobs.get(conversation, sha256);
    },
  };
}

function rendered(entries: readonly Entry[], view: View) {
  const blocksOf = (entry: AssistantEntry) => [
    { type: 'text' as const, text: JSON.stringify(entry.raw) },
  ];
  return renderTranscript(entries, view, blocksOf);
}

/** A summary stands for the first entries. */
const viewFrom = (upTo: number): View => ({
  cutBefore: upTo,
  since: upTo,
  summary: { content: 'What was before.', upTo },
});

describe('entries that a summary stands for', () => {
  test('are not read by a worker that has nothing, and the model is shown the same', async () => {
    const store = await newStore();
    const { third, history } = await threeRuns(store);
    const blobs = counted(store);
    const reader = newReader({ history, blobs });
    const transcript = await reader.read(third.location, { ...third.at, shownFrom: 12 });
    expect(blobs.asked).toHaveLength(1);
    expect(transcript.beginning).toMatchObject({ from: 12, first: { n: 0 } });
    expect(transcript.entries).toHaveLength(third.expected.length);
    expect(transcript.entries.slice(12)).toEqual(third.expected.slice(12));
    expect(transcript.entries[0]).toEqual(third.expected[0]);
    expect(JSON.stringify(transcript.entries.slice(1, 12))).not.toContain('x'.repeat(SIZE));
    expect(transcript.digest).toBe(third.position.digest);
    const view = viewFrom(12);
    expect(rendered(transcript.entries, view)).toEqual(rendered(third.expected, view));
  });

  test('are all read where one of them is still shown', async () => {
    const store = await newStore();
    const { third, history } = await threeRuns(store);
    const blobs = counted(store);
    const reader = newReader({ history, blobs });
    const transcript = await reader.read(third.location, { ...third.at, shownFrom: 7 });
    expect(blobs.asked).toHaveLength(2);
    expect(transcript.entries.slice(7)).toEqual(third.expected.slice(7));
  });

  test('are let go by a worker that had them, and read again when they are to be shown again', async () => {
    const blobs = await newStore();
    const { third, history } = await threeRuns(blobs);
    const reader = newReader({ history, blobs });
    await reader.read(third.location, third.at);
    const whole = reader.statistics.bytes;
    await reader.read(third.location, { ...third.at, shownFrom: 16 });
    expect(reader.statistics.bytes).toBeLessThan(whole * 0.6);
    expect(reader.statistics).toMatchObject({ hits: 1, gaps: 1 });
    const again = await reader.read(third.location, third.at);
    expect(again.entries).toEqual(third.expected);
    expect(reader.statistics.gaps).toBe(2);
  });

  test('that are in no segment yet are kept', async () => {
    const blobs = await newStore();
    const { third, history } = await threeRuns(blobs);
    const reader = newReader({ history, blobs });
    const transcript = await reader.read(third.location, { ...third.at, shownFrom: 22 });
    expect(transcript.beginning.from).toBeLessThanOrEqual(16);
    expect(transcript.entries.slice(16)).toEqual(third.expected.slice(16));
  });

  test('do not hinder that a turn is kept, and found by the next read', async () => {
    const blobs = await newStore();
    const { third, history } = await threeRuns(blobs);
    for (const known of ['warm', 'cold']) {
      const reader = newReader({ history, blobs });
      const at = { ...third.at, shownFrom: 16 };
      const before = await reader.read(third.location, at);
      const keeping = known === 'warm' ? reader : newReader({ history, blobs });
      const entry: Entry = { kind: 'user', turn: 9, step: 0, id: 'u', content: 'on', at: '' };
      const digest = chainDigest(before.digest, digestOf(entry));
      keeping.keep(third.location, {
        beginning: before.beginning,
        entries: [...before.entries, entry],
        digests: [...before.digests, digestOf(entry)],
        digest,
      });
      const position = { run: third.location.runId, count: before.entries.length + 1, digest };
      const after = await keeping.read(third.location, { ...at, position });
      expect(after.entries.at(-1)).toEqual(entry);
      expect(keeping.statistics.gaps).toBe(known === 'warm' ? 1 : 0);
    }
  });

  test('do not hinder that the next segment is written, which names the first message again', async () => {
    const blobs = await newStore();
    const { third, history } = await threeRuns(blobs);
    const reader = newReader({ history, blobs });
    const transcript = await reader.read(third.location, { ...third.at, shownFrom: 16 });
    const { segment, digest } = segmentOf(
      { position: third.position, items: [], loose: [], previous: third.segment ?? null },
      transcript,
    );
    expect(segment).toMatchObject({ from: 16, first: { n: 0, entry: third.expected[0] } });
    expect(segment.entries).toEqual(third.expected.slice(16));
    expect(digest).toBe(third.position.digest);
  });
});
