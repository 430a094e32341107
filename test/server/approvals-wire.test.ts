import { WorkflowNotFoundError, WorkflowUpdateFailedError } from '@temporalio/client';
import type { ApplicationFailure } from '@temporalio/common';
import { describe, expect, test } from 'vitest';
import type { ConversationHandle } from '../../src/client/index.ts';
import {
  eventsOf,
  expectNoFailedTask,
  notesOf,
  paidIn,
  payingAgent,
  payments,
  startWaiting,
  untilTurn,
  untilWaiting,
  type Waiting,
} from '../support/approvals.ts';
import { serveAgents } from '../support/serve-agents.ts';
import { temporalClient } from '../support/temporal-client.ts';

/** Everything here is said with Temporal's own client: what a service in another language has. */

const served = serveAgents({ agents: [payingAgent('payer')] });
const by = { id: 'ana' };

interface RawPayload {
  readonly encoding?: string;
  readonly data: string | Uint8Array;
}

async function signalRaw(id: string, name: string, payload: RawPayload | undefined): Promise<void> {
  const { connection } = await temporalClient();
  const bytes = (text: string | Uint8Array) =>
    typeof text === 'string' ? new TextEncoder().encode(text) : text;
  const encoded =
    payload === undefined
      ? []
      : [
          {
            metadata: payload.encoding === undefined ? {} : { encoding: bytes(payload.encoding) },
            data: bytes(payload.data),
          },
        ];
  await connection.workflowService.signalWorkflowExecution({
    namespace: 'default',
    workflowExecution: { workflowId: id },
    signalName: name,
    input: { payloads: encoded },
  });
}

const json = (value: unknown): RawPayload => ({
  encoding: 'json/plain',
  data: JSON.stringify(value),
});

let foreign: Waiting | undefined;
/** Two calls with the provider's same id wait; a third, in an earlier turn, was denied; one never waited. */
let conversation: ConversationHandle;
let key = '';
let earlier = '';
let free = '';

/** A conversation as the cases below want it. */
async function prepare(): Promise<void> {
  foreign ??= await startWaiting(served.client, 'payer', { message: payments(['x', 9]) }, 1);
  const started = await startWaiting(
    served.client,
    'payer',
    { message: payments(['early', 1]), mode: 'chat' },
    1,
  );
  conversation = started.conversation;
  earlier = started.keys[0] ?? '';
  await conversation.deny(earlier, { by });
  await untilTurn(conversation, 1);
  await conversation.send(
    JSON.stringify([
      ['look', { at: 'sea' }],
      ['pay', { to: 'a', cents: 1 }],
      ['pay', { to: 'b', cents: 2 }],
    ]),
  );
  const requests = await untilWaiting(conversation, 2);
  key = requests[0]?.key ?? '';
  const { calls } = await conversation.record();
  free = calls.find(({ planned }) => planned.tool === 'look')?.planned.key ?? '';
}

/** What is refused, as a function of the keys that are known once it waits. */
const REFUSED: readonly (readonly [
  what: string,
  code: string,
  payload: () => { readonly [field: string]: unknown },
])[] = [
  ['an unknown call', 'unknown_call', () => ({ key: `${conversation.id}/9.9.9.x`, by })],
  ['a call of another conversation', 'unknown_call', () => ({ key: foreign?.keys[0], by })],
  ['a call of an earlier turn', 'already_decided', () => ({ key: earlier, by })],
  ['a call that does not wait', 'not_pending', () => ({ key: free, by })],
  ['no call', 'invalid_verdict', () => ({ by })],
  [
    'other arguments than were seen',
    'digest_mismatch',
    () => ({ key, by, digest: 'f'.repeat(64) }),
  ],
  ['arguments that break the schema', 'invalid_input', () => ({ key, by, input: { to: 5 } })],
  ['arguments that are no object', 'invalid_input', () => ({ key, by, input: [1] })],
  ['nobody', 'invalid_verdict', () => ({ key })],
  ['a person without an id', 'invalid_verdict', () => ({ key, by: { name: 'Ana' } })],
  ['a person as text', 'invalid_verdict', () => ({ key, by: 'ana' })],
  ['an unknown field', 'invalid_verdict', () => ({ key, by, allow: true })],
  [
    'unknown fields by the thousand',
    'invalid_verdict',
    () => ({
      key,
      by,
      ...Object.fromEntries(Array.from({ length: 20_000 }, (_, n) => [`f${n}`, n])),
    }),
  ],
  [
    'a field with a name of megabytes',
    'invalid_verdict',
    () => ({ key, by, ['x'.repeat(1_900_000)]: 1 }),
  ],
  ['a reason of 1.9 MB', 'too_large', () => ({ key, by, reason: 'x'.repeat(1_900_000) })],
  [
    'something to remember that is not there',
    'invalid_verdict',
    () => ({ key, by, remember: { scope: 'conversation', match: ['/nowhere'] } }),
  ],
];

describe('a signal that is refused', () => {
  const BROKEN: readonly (readonly [
    what: string,
    code: string,
    payload: RawPayload | undefined,
  ])[] = [
    ['broken JSON', 'undecodable', { encoding: 'json/plain', data: '{"key": ' }],
    ['an unknown encoding', 'undecodable', { encoding: 'json/zebra', data: '{}' }],
    ['no encoding', 'undecodable', { data: '{}' }],
    ['bytes', 'invalid_verdict', { encoding: 'binary/plain', data: new Uint8Array(500_000) }],
    ['nothing', 'invalid_verdict', undefined],
    ['null', 'invalid_verdict', json(null)],
    ['a list', 'invalid_verdict', json([1, 2])],
    [
      'lists in lists a hundred thousand deep',
      'invalid_verdict',
      {
        encoding: 'json/plain',
        data: `{"key":"k","by":{"id":"a"},"input":${'['.repeat(100_000)}${']'.repeat(100_000)}}`,
      },
    ],
  ];

  test('leaves why, who and when in the audit; nothing runs, no workflow task fails, and a good one is taken', async () => {
    await prepare();
    const { workflow } = await temporalClient();
    const handle = workflow.getHandle(conversation.id);
    const expected: string[] = [];
    for (const [, code, payload] of REFUSED) {
      await handle.signal('approve', payload());
      expected.push(code);
    }
    await handle.signal('deny', { key, by, input: { to: 'a', cents: 1 } });
    await handle.signal('deny', { key, by, decision: 'approve' });
    await handle.signal('revoke', { rule: 'nothing', by });
    expected.push('invalid_verdict', 'invalid_verdict', 'unknown_rule');
    for (const [, code, payload] of BROKEN) {
      await signalRaw(conversation.id, 'approve', payload);
      expected.push(code);
    }
    await expect(
      handle.signal('approve', { key, by, reason: 'x'.repeat(3_000_000) }),
    ).rejects.toThrow();

    await expect
      .poll(async () => (await conversation.status()).status, { timeout: 20_000 })
      .toBe('waiting_approval');
    expect(await conversation.approvals()).toHaveLength(2);
    expect(paidIn(conversation)).toEqual([]);

    await handle.signal('approve', { key, by, decision: 'approve' });
    await handle.signal('deny', {
      callId: (await conversation.approvals()).at(-1)?.callId,
      by,
      reason: 'no',
    });
    await untilTurn(conversation, 2);
    await conversation.close();
    await conversation.result();
    expect(paidIn(conversation)).toEqual(['sea 0', 'a 1']);
    const notes = await notesOf(conversation);
    const codes = notes.map(({ details }) => (details as { code: string }).code);
    expect(codes.toSorted()).toEqual(expected.toSorted());
    for (const note of notes) {
      expect(note).toMatchObject({
        code: expect.stringMatching(/^(signal|verdict)_refused$/),
        at: expect.stringMatching(/^\d{4}-.*Z$/),
        details: { by: expect.stringMatching(/^(ana|unknown sender|a)$/) },
      });
      expect(note.text.length).toBeLessThan(1_100);
    }
    expect(
      notes.find(({ details }) => (details as { code: string }).code === 'digest_mismatch'),
    ).toMatchObject({
      text: expect.stringContaining('approve of ana'),
      details: { signal: 'approve', key },
    });
    await expectNoFailedTask(conversation);
  });
});

describe('an update that is refused', () => {
  test('tells its sender why, and leaves an event only for what had to be validated', async () => {
    await prepare();
    const { workflow } = await temporalClient();
    const handle = workflow.getHandle(conversation.id);
    const refusal = async (payload: unknown) => {
      try {
        await handle.executeUpdate('decide', { args: [payload] });
        return undefined;
      } catch (error) {
        if (!(error instanceof WorkflowUpdateFailedError)) throw error;
        const { details, type } = error.cause as ApplicationFailure;
        expect(type).toBe('PerdureRefusal');
        const [said] = details ?? [];
        return (said as { code: string }).code;
      }
    };
    for (const [what, code, payload] of REFUSED) {
      expect([what, await refusal({ decision: 'approve', ...payload() })]).toEqual([what, code]);
    }
    expect(await refusal({ decision: 'maybe', key, by })).toBe('invalid_verdict');
    expect(await refusal({ key, by })).toBe('invalid_verdict');
    await expect(
      refusal({ decision: 'deny', key, by, reason: 'x'.repeat(3_000_000) }),
    ).rejects.toThrow();
    const accepted = (await eventsOf(conversation)).filter(
      (event) => event.workflowExecutionUpdateAcceptedEventAttributes != null,
    );
    // The two edits, and the denial and the message that led here.
    expect(accepted).toHaveLength(4);

    const answer = await handle.executeUpdate('decide', {
      args: [{ decision: 'approve', key, by }],
    });
    expect(answer).toEqual({ decision: 'approve', key, by, at: expect.any(String) });
    await handle.signal('stop');
    await untilTurn(conversation, 2);
    await conversation.close();
    await conversation.result();
    await expectNoFailedTask(conversation);
  });
});

describe('a verdict for a conversation that has ended', () => {
  test('is refused by the server, and by the client with what it ended as', async () => {
    const { conversation: ended, keys } = await startWaiting(
      served.client,
      'payer',
      { message: payments(['a', 1]) },
      1,
    );
    await ended.approve(keys[0] ?? '', { by });
    await ended.result();
    const { workflow } = await temporalClient();
    const verdict = { key: keys[0], by };
    await expect(workflow.getHandle(ended.id).signal('approve', verdict)).rejects.toThrow(
      WorkflowNotFoundError,
    );
    await expect(ended.deny(keys[0] ?? '', { by })).rejects.toMatchObject({
      name: 'ConversationClosed',
    });
    await expect(served.client.handle('nobody').deny('k', { by })).rejects.toMatchObject({
      name: 'ConversationNotFound',
    });
    expect(paidIn(ended)).toEqual(['a 1']);
  });
});
