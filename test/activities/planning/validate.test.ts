import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { digestOf } from '../../../src/activities/transcript/digest.ts';
import { putValue } from '../../../src/blobs/stored-value.ts';
import { isBlobReference } from '../../../src/core/stored.ts';
import { defineTool } from '../../../src/tools/define-tool.ts';
import { CONVERSATION, setting } from './setting.ts';
import { shopTools } from './shop-tools.ts';

describe('arguments that a person changed', () => {
  it('that fit are answered with their digest and what the call will do now', async () => {
    const { validate } = await setting({ tools: shopTools });
    const input = { cents: 100, id: 'A-1' };
    expect(await validate('refund', input)).toEqual({
      input,
      digest: digestOf({ id: 'A-1', cents: 100 }),
      summary: 'pays back 1 EUR of A-1',
    });
  });

  it('that do not fit are answered with all problems', async () => {
    const { validate } = await setting({ tools: shopTools });
    expect(await validate('refund', { cents: '1', note: 'x' })).toEqual({
      problems: [
        '/id: is required',
        '/note: is not known here; known: "id", "cents"',
        '/cents: must be integer, got "1"',
      ],
    });
    expect(await validate('refund', { id: 'A', cents: 2 ** 60 })).toMatchObject({
      problems: [expect.stringContaining('send it as a string'), expect.any(String)],
    });
    expect(await validate('refund', 'A-1')).toEqual({
      problems: ['(root): must be object, got "A-1"'],
    });
  });

  it("that only the tool's own code refuses are refused in its words", async () => {
    const tool = defineTool({
      name: 'pay',
      description: 'Pays.',
      inputSchema: z.object({ iban: z.string().refine(() => false, { error: 'is no IBAN' }) }),
      effect: 'once',
      execute: () => null,
    });
    const { validate } = await setting({ tools: [tool] });
    expect(await validate('pay', { iban: 'x' })).toEqual({ problems: ['/iban: is no IBAN'] });
  });

  it('may be large, on the way in and on the way out', async () => {
    const { environment, validate } = await setting(
      { tools: shopTools },
      { inlineLimitBytes: 100 },
    );
    const id = 'x'.repeat(1_000);
    const reference = await putValue(environment.blobs, CONVERSATION, { id, cents: 1 });
    const answer = await validate('refund', { ...reference });
    expect(answer).toMatchObject({ digest: digestOf({ id, cents: 1 }) });
    expect('input' in answer && isBlobReference(answer.input)).toBe(true);
  });

  it('of no tool of the conversation are refused', async () => {
    const { validate } = await setting({ tools: shopTools });
    expect(await validate('launch', {})).toEqual({ problems: ['there is no tool "launch"'] });
  });

  it('that are gone from the blob store fail for good; a store that is away does not', async () => {
    const gone = { blob: 'f'.repeat(64), size: 5, preview: '' };
    const { environment, validate } = await setting({ tools: shopTools });
    await expect(validate('refund', gone)).rejects.toMatchObject({ type: 'BlobMissing' });
    const away = { ...environment.blobs, get: () => Promise.reject(new Error('timed out')) };
    const other = await setting({ tools: shopTools }, { blobs: away });
    await expect(other.validate('refund', gone)).rejects.toMatchObject({
      type: 'StoreUnavailable',
    });
  });
});
