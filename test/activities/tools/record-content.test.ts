import { describe, expect, test } from 'vitest';
import { recordContent } from '../../../src/activities/record-content.ts';
import type { BlobStore } from '../../../src/blobs/blob-store.ts';
import type { Content } from '../../../src/core/content.ts';
import { outcomeText } from '../../../src/core/outcome.ts';
import { shownOutput } from '../../../src/core/shown-result.ts';
import { CONVERSATION, MemoryBlobs } from './harness.ts';

const INLINE = 2_000;

async function record(content: Content, blobs: BlobStore) {
  const warnings: string[] = [];
  const shown = shownOutput(content, { maxResultChars: 20_000, effect: 'once', edited: false });
  const recorded = await recordContent(shown, {
    blobs,
    conversationId: CONVERSATION,
    inlineLimitBytes: INLINE,
    original: undefined,
    log: { warn: (message) => void warnings.push(message) },
    patienceMs: 200,
  });
  return { ...recorded, warnings };
}

describe('a blob store that takes nothing', () => {
  const broken = (): MemoryBlobs => new MemoryBlobs(Number.POSITIVE_INFINITY);

  test('leaves what fits history, with a line that says what was lost', async () => {
    const text = `begin ${'"\n'.repeat(50_000)} end`;
    const { content, shownAs, original, warnings } = await record(text, broken());
    expect({ shownAs, original }).toEqual({ shownAs: undefined, original: undefined });
    expect(Buffer.byteLength(JSON.stringify(content))).toBeLessThanOrEqual(INLINE);
    expect(content).toMatch(/^begin /);
    expect(content).toContain('was lost: no blob store took it.]');
    expect(warnings.length).toBeGreaterThan(1);
  });

  test('leaves what an error says of its effect', async () => {
    const message = 'x'.repeat(9_000);
    const text = outcomeText({ outcome: 'tool_failed', effect: 'unknown', message });
    const { content } = await record(text, broken());
    expect(content).toMatch(/^\[tool_failed\] /);
    expect(content).toMatch(/check before you repeat it\.$/);
  });

  test('costs an image its bytes, not the text beside it', async () => {
    const { content } = await record(
      [
        { type: 'text', text: 'the receipt' },
        { type: 'image', mediaType: 'image/png', data: Buffer.alloc(3_000).toString('base64') },
      ],
      broken(),
    );
    expect(content).toMatchObject([
      { text: 'the receipt' },
      {
        text: expect.stringMatching(
          /^\[The image \(image\/png, 3000 bytes, SHA-256 [0-9a-f]{64}\) was lost/,
        ) as unknown,
      },
    ]);
  });
});

test('a blob store that does not answer is not waited for without end', async () => {
  const hanging = new MemoryBlobs();
  hanging.put = () => new Promise(() => undefined);
  const { content } = await record('x'.repeat(5_000), hanging);
  expect(content).toContain('was lost');
});
