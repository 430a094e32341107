import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { PerdureClient } from '../../src/client/index.ts';
import type { ModelRequest } from '../../src/core/model-request.ts';
import { scripted } from '../../src/models/scripted.ts';
import { defineAgent } from '../../src/tools/define-agent.ts';
import {
  failedTasks,
  messageOfBytes,
  type RawPayload,
  rawJson,
  rawSender,
} from '../support/raw-sender.ts';
import { serveAgents } from '../support/serve-agents.ts';
import { temporalClient } from '../support/temporal-client.ts';
import { withWorker } from '../support/with-worker.ts';

/** The server takes 2 MiB of one payload with its metadata; this is what passes. */
const LARGEST = 2_097_100;

/** Lengths of what users said, as the model sees it. */
function heard(request: ModelRequest): number[] {
  return request.messages.flatMap((message) =>
    message.role === 'user'
      ? message.content.map((part) => (part.type === 'text' ? part.text.length : -1))
      : [],
  );
}

const listener = defineAgent({
  name: 'listener',
  model: scripted((request) => `heard ${heard(request).join(', ')}`),
  instructions: 'Listen.',
});

const served = serveAgents({ agents: [listener] });

const client = () => served.client.temporal;

async function answerOf(id: string, turn: number): Promise<unknown> {
  const conversation = served.client.handle(id);
  await expect
    .poll(async () => (await conversation.status()).lastTurn?.turn, { timeout: 60_000 })
    .toBe(turn);
  return (await conversation.status()).lastTurn?.text;
}

async function finished(id: string): Promise<void> {
  const conversation = served.client.handle(id);
  await conversation.close();
  expect(await conversation.result()).toMatchObject({ stopReason: 'closed' });
  expect(await failedTasks(client(), id)).toEqual([]);
}

const unreadable: readonly (readonly [string, RawPayload])[] = [
  ['broken JSON', rawJson('{"content": "unfinis')],
  ['an unknown encoding', { encoding: 'application/x-nobody-knows', data: Buffer.from('x') }],
  ['no encoding', { encoding: '', data: Buffer.from('{"content":"x"}') }],
  ['bytes', { encoding: 'binary/plain', data: Buffer.from([1, 2, 3]) }],
  ['nothing', { encoding: 'binary/null', data: Buffer.alloc(0) }],
  ['a protobuf message of a foreign type', { encoding: 'binary/protobuf', data: Buffer.from([8]) }],
  ['no UTF-8', { encoding: 'json/plain', data: Buffer.from([0x22, 0xff, 0xfe, 0x22]) }],
  ['a number', rawJson('5')],
  ['a list', rawJson('[{"content":"x"}]')],
  ['content of a wrong type', rawJson('{"content":{"text":5}}')],
  ['white space', rawJson('{"content":" \\n "}')],
  ['an unknown field', rawJson('{"content":"x","colour":"red"}')],
  ['nesting of 100,000 levels', rawJson('['.repeat(100_000) + ']'.repeat(100_000))],
  ['a name of the prototype', rawJson('{"__proto__":{"content":"x"}}')],
  ['what stands for the unreadable', rawJson('{"undecodable":{"problem":5}}')],
];

describe('a message that somebody else’s program signals', () => {
  test.each(unreadable)('is refused in the audit when it is %s', async (_, payload) => {
    const id = `raw-${randomUUID()}`;
    const conversation = await served.client.start('listener', { id, mode: 'chat' });
    await rawSender(client()).signal(id, 'message', payload);
    await rawSender(client()).signal(id, 'message', rawJson('{"content":"fine"}'));
    expect(await answerOf(id, 1)).toBe('heard 4');
    await finished(id);
    const notes = (await conversation.entries()).flatMap(({ entry }) =>
      entry.kind === 'note' ? [entry.code] : [],
    );
    expect(notes).toEqual(['signal_refused']);
  });

  test('is refused when it carries nothing at all', async () => {
    const id = `raw-${randomUUID()}`;
    await served.client.start('listener', { id, mode: 'chat', message: 'hi' });
    for (const signal of ['message', 'approve', 'deny', 'stop']) {
      await rawSender(client()).signal(id, signal);
    }
    expect(await answerOf(id, 1)).toBeDefined();
    await finished(id);
  });

  test.each([200_000, 1_900_000, LARGEST])(
    'reaches the model whole with %d bytes',
    async (bytes) => {
      const id = `raw-${randomUUID()}`;
      await served.client.start('listener', { id, mode: 'chat' });
      await rawSender(client()).signal(id, 'message', messageOfBytes(bytes));
      const characters = bytes - '{"content":""}'.length;
      expect(await answerOf(id, 1)).toBe(`heard ${characters}`);
      await finished(id);
    },
  );

  test('reaches the model when several of the largest come at once, in a turn and beside one', async () => {
    const id = `raw-${randomUUID()}`;
    await served.client.start('listener', { id, mode: 'chat', message: 'begin' });
    const sender = rawSender(client());
    await Promise.all(
      [1, 2, 3, 4].map((n) =>
        sender.signal(
          id,
          'message',
          messageOfBytes(1_900_000, { id: `large-${n}`, when: n % 2 === 0 ? 'steer' : 'queue' }),
        ),
      ),
    );
    const conversation = served.client.handle(id);
    const large = async () =>
      JSON.stringify((await conversation.status()).lastTurn).match(/\b1899\d{3}\b/g);
    await expect.poll(large, { timeout: 60_000 }).toHaveLength(4);
    await finished(id);
  });

  test('is taken or refused when more of the largest wait for a worker than one history can hold twice', async () => {
    const taskQueue = `burst-${randomUUID()}`;
    const id = `raw-${randomUUID()}`;
    const messages = 20;
    const start = { workflowId: id, type: 'listener', taskQueue };
    await rawSender(client()).start(start, rawJson('{"mode":"chat"}'));
    for (let n = 0; n < messages; n++) {
      await rawSender(client()).signal(id, 'message', messageOfBytes(1_900_000));
    }
    await withWorker({ agents: [listener], taskQueue }, async () => {
      expect(await answerOf(id, 1)).toMatch(/^heard 1899\d{3}, 1899\d{3}/);
      await finished(id);
    });
    const { entries, runs } = await served.client.handle(id).record();
    expect(runs.length).toBeGreaterThan(1);
    const of = (kind: string) => entries.filter(({ entry }) => entry.kind === kind).length;
    expect(of('user')).toBeGreaterThanOrEqual(3);
    expect(of('user') + of('note')).toBe(messages);
  });

  test('is read by a client whose library takes no more than 4 MiB at once', async () => {
    const id = `raw-${randomUUID()}`;
    const conversation = await served.client.start('listener', { id, mode: 'chat' });
    await rawSender(client()).signal(id, 'message', messageOfBytes(LARGEST));
    await answerOf(id, 1);
    const other = new PerdureClient({ client: await temporalClient() });
    expect(await other.handle(id).entries()).toEqual(await conversation.entries());
    await finished(id);
  });

  test('above what the server takes is refused by it, and the conversation does not notice', async () => {
    const id = `raw-${randomUUID()}`;
    await served.client.start('listener', { id, mode: 'chat', message: 'hi' });
    const sending = rawSender(client()).signal(id, 'message', messageOfBytes(2_097_200));
    await expect(sending).rejects.toThrow('Blob data size exceeds limit');
    await expect(served.client.handle(id).send('x'.repeat(2_097_200))).rejects.toMatchObject({
      name: 'PerdureRefusal',
      code: 'too_large',
    });
    expect(await answerOf(id, 1)).toBe('heard 2');
    await finished(id);
  });

  test('under a name that nobody listens to changes nothing', async () => {
    const id = `raw-${randomUUID()}`;
    await served.client.start('listener', { id, mode: 'chat', message: 'hi' });
    await rawSender(client()).signal(id, 'no_such_signal', messageOfBytes(1_900_000));
    expect(await answerOf(id, 1)).toBe('heard 2');
    await finished(id);
  });
});

describe('a start by somebody else’s program', () => {
  async function start(payload: RawPayload): Promise<string> {
    const workflowId = `raw-${randomUUID()}`;
    const { taskQueue } = served;
    await rawSender(client()).start({ workflowId, type: 'listener', taskQueue }, payload);
    return workflowId;
  }

  test.each(unreadable)('fails by name when its argument is %s', async (_, payload) => {
    const id = await start(payload);
    await expect(served.client.handle(id).result()).rejects.toMatchObject({
      name: 'ConversationFailed',
      type: 'InvalidStart',
    });
    expect(await failedTasks(client(), id)).toEqual([]);
  });

  test.each([200_000, 1_900_000, LARGEST])('is taken with a message of %d bytes', async (bytes) => {
    const payload = rawJson(
      JSON.stringify({ message: 'x'.repeat(bytes - '{"message":""}'.length) }),
    );
    const id = await start(payload);
    expect(await served.client.handle(id).result()).toMatchObject({
      text: `heard ${bytes - '{"message":""}'.length}`,
    });
    expect(await failedTasks(client(), id)).toEqual([]);
  });

  test.each(['context', 'state'])('fails by name when its %s is too large', async (field) => {
    const id = await start(
      rawJson(JSON.stringify({ message: 'm', [field]: 'x'.repeat(1_900_000) })),
    );
    await expect(served.client.handle(id).result()).rejects.toMatchObject({
      type: 'InvalidStart',
      message: expect.stringContaining(field),
    });
    expect(await failedTasks(client(), id)).toEqual([]);
  });

  test.each([{ idleTimeout: '' }, { approvalTimeout: '' }, { limits: { deadline: '' } }])(
    'fails by name when a duration is empty: %j',
    async (settings) => {
      const id = await start(rawJson(JSON.stringify({ message: 'm', ...settings })));
      await expect(served.client.handle(id).result()).rejects.toMatchObject({
        type: 'InvalidStart',
        message: expect.stringContaining('expected a duration'),
      });
      expect(await failedTasks(client(), id)).toEqual([]);
    },
  );

  test('is taken with the longest names that the contract allows', async () => {
    const id = await start(
      rawJson(
        JSON.stringify({
          message: 'm',
          tenant: 'ü'.repeat(255),
          tags: Array.from({ length: 20 }, (_, n) => `${n}${'ü'.repeat(250)}`),
          by: { id: '木'.repeat(255), name: '木'.repeat(255), via: '木'.repeat(255) },
          capabilities: Array.from({ length: 100 }, (_, n) => `${n}${'ü'.repeat(250)}`),
        }),
      ),
    );
    expect(await served.client.handle(id).result()).toMatchObject({ text: 'heard 1' });
    expect(await failedTasks(client(), id)).toEqual([]);
  });

  const madeUp = {
    'no state': { spec: 5 },
    'half a state': { spec: { settings: {} }, position: {}, items: [], counters: {} },
  };

  test.each(Object.entries(madeUp))(
    'that hands over %s fails by name, whether it continues another workflow or not',
    async (_, resumed) => {
      const argument = rawJson(JSON.stringify({ resumed }));
      const continued = `raw-${randomUUID()}`;
      const { taskQueue } = served;
      await rawSender(client()).continueAs(
        { workflowId: continued, type: 'listener', taskQueue },
        argument,
      );
      for (const id of [await start(argument), continued]) {
        await expect(served.client.handle(id).result()).rejects.toMatchObject({
          type: 'InvalidStart',
        });
        expect(await failedTasks(client(), id)).toEqual([]);
      }
    },
  );
});
