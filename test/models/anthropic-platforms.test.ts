import { crc32 } from 'node:zlib';
import { afterEach, describe, expect, test } from 'vitest';
import { anthropicBedrock, anthropicVertex } from '../../src/models/anthropic/platforms.ts';
import { anthropicWire } from '../../src/models/contract/anthropic-wire.ts';
import {
  cutEvery,
  inOrder,
  type ModelServer,
  startModelServer,
  type WireReply,
} from '../../src/models/contract/model-server.ts';
import { jsonReply } from '../../src/models/contract/wire.ts';
import { buildRequest, complete } from './build-request.ts';

let server: ModelServer | undefined;

afterEach(async () => {
  await server?.close();
  server = undefined;
});

async function serve(...replies: WireReply[]): Promise<ModelServer> {
  server = await startModelServer(inOrder(...replies));
  return server;
}

const REQUEST = buildRequest({
  tools: [{ name: 'look', description: 'Looks.', inputSchema: { type: 'object' } }],
});
const TURN = { text: 'Grüße', calls: [{ id: 'toolu_1', name: 'look', input: { n: 1 } }] };

describe('Claude on Bedrock', () => {
  const options = { region: 'eu-central-1', apiKey: 'bedrock-key' };

  test('a turn in Amazon’s binary framing is the same turn', async () => {
    const { url, requests } = await serve(cutEvery(5, onBedrock(anthropicWire.answer(TURN))));
    const model = anthropicBedrock('anthropic.claude-wire-1-v1:0', { ...options, baseURL: url });
    const { completion, text } = await complete(model, REQUEST);
    expect(text).toBe('Grüße');
    expect(completion).toMatchObject({
      stopReason: 'tool_calls',
      requestId: 'req_aws',
      blocks: [{ type: 'text' }, { type: 'tool_call', input: { n: 1 } }],
    });
    expect(requests[0]?.path).toContain('/model/anthropic.claude-wire-1-v1');
    expect(requests[0]?.path).toContain('invoke-with-response-stream');
    expect(requests[0]?.headers.authorization).toBe('Bearer bedrock-key');
  });

  test('an exception frame in the stream is classified', async () => {
    const whole = onBedrock(anthropicWire.answer(TURN));
    const exception = frame(
      { ':message-type': 'exception', ':exception-type': 'throttlingException' },
      Buffer.from(JSON.stringify({ message: 'slow down' })),
    );
    const { url } = await serve({ ...whole, chunks: [...whole.chunks.slice(0, 2), exception] });
    const model = anthropicBedrock('anthropic.claude-wire-1-v1:0', { ...options, baseURL: url });
    await expect(complete(model, REQUEST)).rejects.toMatchObject({ type: 'rate_limited' });
  });

  test('a request that AWS keys sign carries the signature', async () => {
    const { url, requests } = await serve(onBedrock(anthropicWire.answer({ text: 'Hi' })));
    const model = anthropicBedrock('anthropic.claude-wire-1-v1:0', {
      region: 'eu-central-1',
      accessKeyId: 'AKIDEXAMPLE',
      secretAccessKey: 'secret',
      baseURL: url,
    });
    await complete(model, REQUEST);
    expect(requests[0]?.headers.authorization).toMatch(/^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/);
  });
});

describe('Claude on Vertex AI', () => {
  const options = {
    region: 'europe-west1',
    projectId: 'shop',
    accessToken: () => Promise.resolve('google-token'),
  };

  test('a turn is asked for in the project and region, with the token', async () => {
    const { url, requests } = await serve(
      anthropicWire.answer(TURN),
      jsonReply(200, { input_tokens: 3 }),
    );
    const model = anthropicVertex('claude-wire-1', { ...options, baseURL: url });
    const { completion } = await complete(model, REQUEST);
    expect(completion).toMatchObject({ stopReason: 'tool_calls' });
    expect(requests[0]?.path).toBe(
      '/projects/shop/locations/europe-west1/publishers/anthropic/models/claude-wire-1:streamRawPredict',
    );
    expect(requests[0]?.headers.authorization).toBe('Bearer google-token');
    const signal = new AbortController().signal;
    expect(await model.countTokens?.(REQUEST, { signal })).toBe(3);
  });

  test('Google’s own form of an error is classified by its status', async () => {
    const error = { code: 429, status: 'RESOURCE_EXHAUSTED', message: 'quota' };
    const { url } = await serve(jsonReply(429, { error }));
    const model = anthropicVertex('claude-wire-1', { ...options, baseURL: url });
    await expect(complete(model, REQUEST)).rejects.toMatchObject({ type: 'rate_limited' });
  });

  test('a client that cannot be made is a failure that nobody retries', async () => {
    const model = anthropicVertex('claude-wire-1');
    await expect(complete(model, REQUEST)).rejects.toMatchObject({
      type: 'invalid_request',
      message: expect.stringContaining('region') as string,
    });
  });
});

/** The events of a Messages API stream in `application/vnd.amazon.eventstream`. */
function onBedrock(reply: WireReply): WireReply {
  return {
    headers: {
      'content-type': 'application/vnd.amazon.eventstream',
      'x-amzn-requestid': 'req_aws',
    },
    chunks: reply.chunks.map((chunk) => {
      const data = Buffer.from(chunk).toString('utf8').split('data: ')[1] ?? '';
      const payload = { bytes: Buffer.from(data.trim()).toString('base64') };
      return frame(
        { ':message-type': 'event', ':event-type': 'chunk', ':content-type': 'application/json' },
        Buffer.from(JSON.stringify(payload)),
      );
    }),
  };
}

/** One frame: lengths, their checksum, headers, payload, checksum of all. */
function frame(headers: Readonly<Record<string, string>>, payload: Buffer): Buffer {
  const stringType = 7;
  const encoded = Buffer.concat(
    Object.entries(headers).map(([name, value]) => {
      const prefix = Buffer.concat([Buffer.from([name.length]), Buffer.from(name)]);
      const length = Buffer.alloc(3);
      length.writeUInt8(stringType, 0);
      length.writeUInt16BE(value.length, 1);
      return Buffer.concat([prefix, length, Buffer.from(value)]);
    }),
  );
  const prelude = Buffer.alloc(8);
  prelude.writeUInt32BE(16 + encoded.length + payload.length, 0);
  prelude.writeUInt32BE(encoded.length, 4);
  const body = Buffer.concat([prelude, checksum(prelude), encoded, payload]);
  return Buffer.concat([body, checksum(body)]);
}

function checksum(bytes: Buffer): Buffer {
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(bytes), 0);
  return sum;
}
