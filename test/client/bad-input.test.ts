import { Client, Connection } from '@temporalio/client';
import { afterAll, describe, expect, test } from 'vitest';
import { PerdureClient, PerdureRefusal } from '../../src/client/index.ts';
import type { StartOptions } from '../../src/client/index.ts';

// Nothing listens there: a call that reached the network would fail in another way.
const connection = Connection.lazy({ address: '127.0.0.1:1' });
const client = new PerdureClient({ client: new Client({ connection }) });
afterAll(() => connection.close());

async function refusalOf(sending: Promise<unknown>): Promise<PerdureRefusal> {
  const error: unknown = await sending.then(
    () => 'it was taken',
    (reason: unknown) => reason,
  );
  if (!(error instanceof PerdureRefusal))
    throw new Error(`expected a refusal, got ${String(error)}`);
  return error;
}

describe('a start that is not usable is refused before anything is sent', () => {
  test.each<[string, unknown, readonly string[]]>([
    ['no message for a task', {}, ['message: a message is required in mode "task"']],
    [
      'white space for a message',
      { message: ' \n' },
      ['message: expected text that is not empty, or at least one part with content'],
    ],
    [
      'several mistakes at once',
      { message: 5, mode: 'talk', limits: { maxSteps: -1 }, colour: 'red' },
      [
        'message: expected string, received number',
        'mode: expected one of "task"|"chat"',
        'limits.maxSteps: expected number to be >0',
        'Unrecognized key: "colour"',
      ],
    ],
    [
      'a time that no workflow task can have',
      { message: 'go', workflowTaskTimeout: '3 minutes' },
      ['workflowTaskTimeout: expected a duration of 1 to 120 seconds, got "3 minutes"'],
    ],
    [
      'a part without data',
      { message: [{ type: 'image', mediaType: 'image/png' }] },
      ['message[0]: expected either data (base64) or blob'],
    ],
  ])('%s', async (_what, options, problems) => {
    const refusal = await refusalOf(client.start('desk', options as StartOptions));
    expect(refusal.code).toBe('invalid_input');
    expect(refusal.details['problems']).toEqual(problems);
    for (const problem of problems) expect(refusal.message).toContain(problem);
  });

  test.each(['', 'has space', '__proto', 'constructor', 'x'.repeat(65)])(
    'agent name "%s"',
    async (name) => {
      const refusal = await refusalOf(client.start(name, { message: 'hello' }));
      expect(refusal.code).toBe('invalid_input');
      expect(refusal.message).toContain('name');
    },
  );

  test('an id that is empty, or too long', async () => {
    for (const id of ['', '  ', 'x'.repeat(256)]) {
      const refusal = await refusalOf(client.start('desk', { message: 'hello', id }));
      expect(refusal.message).toContain('id: expected a text of 1 to 255 characters');
    }
  });

  test.each<[string, StartOptions]>([
    ['a context over 8 KiB', { message: 'hello', context: 'x'.repeat(8 * 1024) }],
    ['a state over 32 KiB', { message: 'hello', state: { notes: 'x'.repeat(32 * 1024) } }],
    ['a message over what the server takes', { message: 'x'.repeat(2_000_000) }],
  ])('%s', async (_what, options) => {
    const refusal = await refusalOf(client.start('desk', options));
    expect(refusal.code).toBe('too_large');
    expect(refusal.details['size']).toBeGreaterThan(Number(refusal.details['limit']));
  });
});

describe('what is said to a conversation is refused before it is sent', () => {
  const conversation = client.handle('desk-1');

  test('a message without words', async () => {
    const refusal = await refusalOf(conversation.send('  '));
    expect(refusal.code).toBe('invalid_message');
  });

  test('a message that is too large', async () => {
    const refusal = await refusalOf(conversation.send('€'.repeat(700_000)));
    expect(refusal.code).toBe('too_large');
    expect(refusal.details['size']).toBeGreaterThan(2_100_000);
  });

  test('a verdict without who', async () => {
    const refusal = await refusalOf(conversation.approve('call_1', {} as never));
    expect(refusal.code).toBe('invalid_verdict');
    expect(refusal.message).toContain('by: expected object, received undefined');
  });

  test('a denial with new arguments', async () => {
    const options = { by: { id: 'ana' }, input: { cents: 5 } };
    const refusal = await refusalOf(conversation.deny('call_1', options));
    expect(refusal.code).toBe('invalid_verdict');
    expect(refusal.message).toContain('"input"');
  });

  test('a reason of 3 MB', async () => {
    const options = { by: { id: 'ana' }, reason: 'x'.repeat(3_000_000) };
    const refusal = await refusalOf(conversation.deny('call_1', options));
    expect(refusal.code).toBe('too_large');
  });

  test('a stop by nobody that we know', async () => {
    const refusal = await refusalOf(conversation.stop({ by: { id: '' } }));
    expect(refusal.code).toBe('invalid_message');
  });
});
