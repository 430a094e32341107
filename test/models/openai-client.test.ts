import { afterEach, describe, expect, test } from 'vitest';
import {
  inOrder,
  type ModelServer,
  startModelServer,
} from '../../src/models/contract/model-server.ts';
import { openaiWire } from '../../src/models/contract/openai-wire.ts';
import { jsonReply } from '../../src/models/contract/wire.ts';
import {
  openai,
  openaiCompatible,
  type OpenAICompatibleOptions,
} from '../../src/models/openai-compatible/openai-compatible.ts';
import { buildRequest, complete } from './build-request.ts';

let server: ModelServer | undefined;
const keyOfTheMachine = process.env['OPENAI_API_KEY'];

afterEach(async () => {
  await server?.close();
  server = undefined;
  if (keyOfTheMachine === undefined) delete process.env['OPENAI_API_KEY'];
  else process.env['OPENAI_API_KEY'] = keyOfTheMachine;
});

const hello = openaiWire.answer({ text: 'Hello.' });

async function completeWith(options: Partial<OpenAICompatibleOptions>): Promise<void> {
  server = await startModelServer(inOrder(hello));
  const model = openaiCompatible({ model: 'wire-1', baseURL: `${server.url}/v1`, ...options });
  await complete(model, buildRequest());
}

describe('what a server does not take', () => {
  const refuse = (param: string, message: string) =>
    jsonReply(400, {
      error: { message, type: 'invalid_request_error', code: 'unsupported_parameter', param },
    });

  test('is learned from its refusal, once, and left out or renamed from then on', async () => {
    server = await startModelServer(
      inOrder(
        refuse(
          'max_tokens',
          "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.",
        ),
        refuse(
          'temperature',
          "Unsupported parameter: 'temperature' is not supported with this model.",
        ),
        hello,
        hello,
      ),
    );
    const model = openaiCompatible({ model: 'wire-1', baseURL: `${server.url}/v1` });
    const request = buildRequest({ options: { temperature: 0.3 } });
    expect((await complete(model, request)).text).toBe('Hello.');
    expect((await complete(model, request)).text).toBe('Hello.');
    expect(server.requests).toHaveLength(4);
    for (const { body } of server.requests.slice(2)) {
      expect(body).toMatchObject({ max_completion_tokens: 1_000 });
      expect(body).not.toHaveProperty('max_tokens');
      expect(body).not.toHaveProperty('temperature');
    }
  });

  test('is a failure when the server takes neither name of a parameter', async () => {
    const refused = (param: string) => refuse(param, `Unsupported parameter: '${param}'.`);
    server = await startModelServer(
      inOrder(refused('max_tokens'), refused('max_completion_tokens'), refused('max_tokens')),
    );
    const model = openaiCompatible({ model: 'wire-1', baseURL: `${server.url}/v1` });
    await expect(complete(model, buildRequest())).rejects.toMatchObject({
      type: 'invalid_request',
    });
    expect(server.requests).toHaveLength(3);
  });

  test('is a failure when it cannot be done without, or is refused again', async () => {
    server = await startModelServer(
      inOrder(
        refuse('messages', 'unsupported'),
        ...Array.from({ length: 9 }, () => refuse('temperature', 'unsupported')),
      ),
    );
    const model = openaiCompatible({ model: 'wire-1', baseURL: `${server.url}/v1` });
    const request = buildRequest({ options: { temperature: 0.3 } });
    await expect(complete(model, request)).rejects.toMatchObject({ type: 'invalid_request' });
    await expect(complete(model, request)).rejects.toMatchObject({ type: 'invalid_request' });
    expect(server.requests).toHaveLength(3);
  });
});

describe('keys', () => {
  test('OpenAI’s key never goes to another server', async () => {
    process.env['OPENAI_API_KEY'] = 'secret-of-openai';
    await completeWith({});
    expect(server?.requests[0]?.headers.authorization).toBe('Bearer none');
    await server?.close();
    await completeWith({ preset: 'openai' });
    expect(server?.requests[0]?.headers.authorization).toBe('Bearer none');
  });

  test('a preset brings the address, what is given the key and headers', async () => {
    const asked: { url: string; headers: Headers }[] = [];
    await complete(
      openaiCompatible({
        preset: 'openrouter',
        model: 'wire-1',
        apiKey: 'router-key',
        headers: { 'HTTP-Referer': 'https://shop.example' },
        modelOptions: { reasoning: { enabled: true } },
        fetch: (input, init) => {
          asked.push({
            url: input instanceof Request ? input.url : String(input),
            headers: new Headers(init?.headers),
          });
          return Promise.resolve(
            new Response(Buffer.concat(hello.chunks), { headers: hello.headers ?? {} }),
          );
        },
      }),
      buildRequest(),
    );
    expect(asked[0]?.url).toBe('https://openrouter.ai/api/v1/chat/completions');
    expect(asked[0]?.headers.get('authorization')).toBe('Bearer router-key');
    expect(asked[0]?.headers.get('http-referer')).toBe('https://shop.example');
  });

  test('a key from a function is asked for at every request', async () => {
    server = await startModelServer(inOrder(hello, hello));
    let n = 0;
    const model = openaiCompatible({
      model: 'wire-1',
      baseURL: `${server.url}/v1`,
      apiKey: () => Promise.resolve(`key-${(n += 1)}`),
    });
    await complete(model, buildRequest());
    await complete(model, buildRequest());
    expect(server.requests.map((request) => request.headers.authorization)).toEqual([
      'Bearer key-1',
      'Bearer key-2',
    ]);
  });

  test('what is missing is said', async () => {
    delete process.env['OPENAI_API_KEY'];
    await expect(complete(openai('gpt-x'), buildRequest())).rejects.toMatchObject({
      type: 'auth',
      message: expect.stringContaining('OPENAI_API_KEY') as string,
    });
    const router = openaiCompatible({ model: 'x', preset: 'openrouter' });
    await expect(complete(router, buildRequest())).rejects.toMatchObject({ type: 'auth' });
    const nowhere = openaiCompatible({ model: 'x', preset: 'vllm' });
    await expect(complete(nowhere, buildRequest())).rejects.toMatchObject({
      type: 'invalid_request',
      message: expect.stringContaining('baseURL') as string,
    });
  });

  test('check is one small request', async () => {
    server = await startModelServer(inOrder(openaiWire.error('auth')));
    const model = openaiCompatible({
      model: 'wire-1',
      baseURL: `${server.url}/v1`,
      apiKey: 'wrong',
    });
    const signal = new AbortController().signal;
    await expect(model.check?.({ signal })).rejects.toMatchObject({ type: 'auth' });
  });
});
