import assert from 'node:assert/strict';
import type { Json } from '../../core/json.ts';
import type { ModelRequest, RequestMessage } from '../../core/model-request.ts';
import type { Completion } from '../model.ts';
import type { ModelContract } from './model-contract.ts';
import { play, requestOf } from './play.ts';

const FIRST_TURN = {
  reasoning: 'They want order 12.',
  text: 'I look.',
  calls: [{ id: 'call_a', name: 'find_order', input: { id: 12 } }],
};

/** What is sent: the same bytes for what was sent before, and turns as they came. */
export function conversationContract(contract: ModelContract): void {
  const { test, wire } = contract;

  test('instructions, tools, messages and results are in the request', async () => {
    const { sent } = await secondRequest(contract);
    for (const words of [
      'You are the contract’s assistant.',
      'Finds an order.',
      'Where is my order?',
      'It left the house at noon.',
    ]) {
      assert.ok(JSON.stringify(sent).includes(JSON.stringify(words).slice(1, -1)), words);
    }
  });

  test('a longer conversation sends the same bytes again, and then what is new', async () => {
    const { first, sent } = await secondRequest(contract);
    const before = wire.read(first);
    const after = wire.read(sent);
    assert.equal(JSON.stringify(after.system), JSON.stringify(before.system));
    assert.equal(JSON.stringify(after.tools), JSON.stringify(before.tools));
    assert.ok(after.messages.length > before.messages.length);
    assert.equal(
      JSON.stringify(after.messages.slice(0, before.messages.length)),
      JSON.stringify(before.messages),
    );
  });

  test('the neutral view of a recorded turn is what the completion said', async () => {
    const { completion } = await play(contract, wire.answer(FIRST_TURN));
    assert.ok(completion);
    const model = contract.create({ url: 'http://127.0.0.1:1' }, {});
    const recorded = JSON.parse(JSON.stringify(completion.raw)) as Json;
    assert.deepEqual(model.view(recorded), completion.blocks);
    assert.equal(completion.format, model.format);
  });

  test('a view never throws', () => {
    const model = contract.create({ url: 'http://127.0.0.1:1' }, {});
    for (const nonsense of [null, 7, 'text', [], {}, { content: 'x' }, { content: [null] }]) {
      assert.ok(Array.isArray(model.view(nonsense)));
    }
    return Promise.resolve();
  });

  test('a turn that another adapter made is rendered from its neutral view', async () => {
    const { completion, requests } = await play(contract, wire.answer({ text: 'Good.' }), {
      request: {
        messages: [
          ...requestOf().messages,
          {
            role: 'assistant',
            format: 'of-another-adapter',
            model: 'x',
            raw: { secret: 'form' },
            blocks: [
              { type: 'reasoning', text: 'thought elsewhere', signed: true },
              { type: 'text', text: 'I look elsewhere.' },
              { type: 'tool_call', id: 'call:1', name: 'find_order', input: { id: 3 } },
              { type: 'opaque', value: { type: 'elsewhere' } },
            ],
          },
          resultFor('call:1'),
        ],
      },
    });
    assert.equal(completion?.stopReason, 'end');
    const sent = JSON.stringify(requests[0]?.body);
    assert.ok(sent.includes('I look elsewhere.'));
    assert.ok(sent.includes('find_order'));
    for (const foreign of ['secret', 'thought elsewhere', 'opaque', '"elsewhere"']) {
      assert.ok(!sent.includes(foreign), foreign);
    }
  });
}

function resultFor(callId: string): RequestMessage {
  return {
    role: 'tool',
    results: [
      {
        callId,
        tool: 'find_order',
        content: [{ type: 'text', text: 'It left the house at noon.' }],
        isError: false,
      },
    ],
  };
}

/** Plays a turn with a call, answers it, and returns both requests. */
async function secondRequest(contract: ModelContract): Promise<{ first: Json; sent: Json }> {
  const started = await play(contract, contract.wire.answer(FIRST_TURN));
  assert.ok(started.completion);
  const continued = await play(contract, contract.wire.answer({ text: 'It is on its way.' }), {
    request: { messages: continueWith(requestOf(), started.completion) },
  });
  assert.equal(continued.completion?.stopReason, 'end');
  return {
    first: started.requests[0]?.body ?? null,
    sent: continued.requests[0]?.body ?? null,
  };
}

function continueWith(request: ModelRequest, completion: Completion): readonly RequestMessage[] {
  const { format, model, raw, blocks } = completion;
  const call = blocks.find((block) => block.type === 'tool_call');
  assert.ok(call?.type === 'tool_call');
  return [
    ...request.messages,
    { role: 'assistant', format, model, raw, blocks },
    resultFor(call.id),
  ];
}
