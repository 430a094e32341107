import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, inject, test } from 'vitest';
import * as z from 'zod';
import { fileBlobStore } from '../../src/blobs/file.ts';
import { PerdureClient } from '../../src/client/index.ts';
import { isBlobReference } from '../../src/core/stored.ts';
import { scripted, toolCall } from '../../src/models/scripted.ts';
import { defineAgent } from '../../src/tools/define-agent.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import { serveAgents } from '../support/serve-agents.ts';
import { SOON } from './soon.ts';

const LONG = 'long '.repeat(30_000);
const tokens: string[] = [];

const writer = defineAgent({
  name: 'writer',
  model: scripted([LONG]),
  instructions: 'Write.',
});

const ship = defineTool({
  name: 'ship',
  description: 'Ships a parcel; the carrier answers later.',
  inputSchema: z.object({}),
  effect: 'once',
  completion: 'later',
  execute: (_input, { completionToken }) => {
    tokens.push(completionToken ?? '');
  },
});

const shipper = defineAgent({
  name: 'shipper',
  model: scripted([toolCall('ship'), 'It is on its way.']),
  instructions: 'Ship.',
  tools: [ship],
});

const looker = defineAgent({
  name: 'looker',
  model: scripted(['I see it.']),
  instructions: 'Look.',
});

const served = serveAgents({ agents: [writer, shipper, looker] });

async function withBlobs<T>(work: (client: PerdureClient) => Promise<T>): Promise<T> {
  const blobs = fileBlobStore({ directory: join(served.dataDirectory, 'blobs') });
  const { taskQueue } = served;
  const client = await PerdureClient.connect({
    address: inject('temporalAddress'),
    taskQueue,
    blobs,
  });
  try {
    return await work(client);
  } finally {
    await client.close();
    await blobs.close();
  }
}

test('a text that is too large for a result comes whole from the blob store, else (also when it is lost) by its beginning', async () => {
  await withBlobs(async (client) => {
    const conversation = await client.start('writer', { message: 'write' });
    expect((await conversation.result()).text).toBe(LONG);
    const bare = await served.client.handle(conversation.id).result();
    expect(bare.text.length).toBeLessThan(300);
    expect(bare.textBlob).toMatchObject({ size: LONG.length + 2 });

    const [, answer] = await conversation.entries();
    if (!isBlobReference(answer?.text)) throw new Error('expected a reference');
    expect(await conversation.load(answer.text)).toBe(LONG);
    const loading = served.client.handle(conversation.id).load(answer.text);
    await expect(loading).rejects.toThrow(/give the client the blob store/);

    await rm(join(served.dataDirectory, 'blobs', conversation.id), { recursive: true });
    expect(await conversation.result()).toEqual(bare);
    await expect(conversation.load(answer.text)).rejects.toMatchObject({ name: 'BlobMissing' });
  });
});

test('an image that is too large to send is moved to the blob store', async () => {
  await withBlobs(async (client) => {
    const data = Buffer.alloc(3_000_000, 'picture').toString('base64');
    const message = [
      { type: 'text' as const, text: 'What is this?' },
      { type: 'image' as const, mediaType: 'image/png', data },
    ];
    const conversation = await client.start('looker', { message });
    await conversation.result();
    const [said] = await conversation.entries();
    expect(said?.entry).toMatchObject({
      content: [
        { type: 'text', text: 'What is this?' },
        { type: 'image', mediaType: 'image/png', blob: expect.stringMatching(/^[0-9a-f]{64}$/) },
      ],
    });
    const tooLarge = served.client.start('looker', { message });
    await expect(tooLarge).rejects.toMatchObject({ code: 'too_large' });
  });
});

test('a call is completed later by whoever has its token, once', async () => {
  const { client } = served;
  const conversation = await client.start('shipper', { message: 'ship' });
  await expect.poll(() => tokens.length, SOON).toBe(1);
  const [token = ''] = tokens;
  await expect(client.completeLater('nonsense', { output: 1 })).rejects.toThrow(/completion token/);
  // The tool returns a moment after it has handed out the token.
  await expect
    .poll(
      () =>
        client.completeLater(token, { output: { parcel: 'P-1' } }).then(
          () => 'completed',
          (error: unknown) => String(error),
        ),
      SOON,
    )
    .toBe('completed');
  expect(await conversation.result()).toMatchObject({ text: 'It is on its way.' });
  const again = client.completeLater(token, { output: 1 });
  await expect(again).rejects.toMatchObject({ code: 'not_pending' });
  const { calls } = await conversation.record();
  expect(calls[0]?.result).toMatchObject({ outcome: 'ok', content: '{"parcel":"P-1"}' });
});
