import assert from 'node:assert/strict';
import type { Json } from '../../core/json.ts';
import type { ModelContract } from './model-contract.ts';
import { cutEvery } from './model-server.ts';
import { play } from './play.ts';
import { WIRE_USAGE } from './wire.ts';

const UMLAUTS = ['Ihr Päckchen ', 'ist ünterwegs: ', '📦→🏠'];

/** Whole turns: text, calls, stop reasons, usage. */
export function answerContract(contract: ModelContract): void {
  const { test, wire } = contract;

  test('an answer is its text, as blocks and as events', async () => {
    const { completion, text } = await play(contract, wire.answer({ text: UMLAUTS }));
    assert.equal(completion?.stopReason, 'end');
    assert.deepEqual(textsOf(completion.blocks), UMLAUTS.join(''));
    assert.equal(text, UMLAUTS.join(''));
  });

  test('usage, request id and the model that answered are kept', async () => {
    const { completion } = await play(
      contract,
      wire.answer({ text: 'Yes.', model: 'the-one-that-answered', requestId: 'req_7' }),
    );
    assert.deepEqual(completion?.usage, WIRE_USAGE);
    assert.equal(completion.requestId, 'req_7');
    assert.equal(completion.model, 'the-one-that-answered');
  });

  test('calls keep their order, ids, names and arguments', async () => {
    const { completion } = await play(
      contract,
      wire.answer({
        text: 'I look.',
        calls: [
          { id: 'call_a', name: 'find_order', input: { id: 1, note: 'größer 😀' } },
          { id: 'call_b', name: 'find_order', input: { id: 2 } },
        ],
      }),
    );
    assert.equal(completion?.stopReason, 'tool_calls');
    assert.deepEqual(callsOf(completion.blocks), [
      { id: 'call_a', name: 'find_order', input: { id: 1, note: 'größer 😀' } },
      { id: 'call_b', name: 'find_order', input: { id: 2 } },
    ]);
  });

  test('a call without arguments has an empty object', async () => {
    const { completion } = await play(
      contract,
      wire.answer({ calls: [{ id: 'call_a', name: 'find_order', text: '' }] }),
    );
    assert.deepEqual(callsOf(completion?.blocks ?? []), [
      { id: 'call_a', name: 'find_order', input: {} },
    ]);
  });

  test('a name that no tool has is passed on: the runner answers it', async () => {
    const { completion } = await play(
      contract,
      wire.answer({ calls: [{ id: 'call_a', name: 'no_such_tool', input: {} }] }),
    );
    assert.equal(callsOf(completion?.blocks ?? [])[0]?.name, 'no_such_tool');
  });

  for (const [what, broken] of [
    ['cut', '{"id": 12'],
    ['broken', '{"id": 12,, "note": "x"}'],
    ['no object', '["find_order"]'],
  ] as const) {
    test(`arguments that are ${what} are never mended into a call that could run`, async () => {
      const { completion } = await play(
        contract,
        wire.answer({ calls: [{ id: 'call_a', name: 'find_order', text: broken }] }),
      );
      const call = completion?.blocks.find((block) => block.type === 'tool_call');
      assert.ok(call?.type === 'tool_call' && call.malformed !== undefined);
      assert.deepEqual(call.input, {});
    });
  }

  test('an answer cut by the token limit says so, whatever its last call looks like', async () => {
    const { completion } = await play(
      contract,
      wire.answer({
        text: 'I look.',
        stop: 'max_tokens',
        calls: [{ id: 'call_a', name: 'find_order', text: '{"id": 1' }],
      }),
    );
    assert.equal(completion?.stopReason, 'max_tokens');
    assert.ok(completion.blocks.some((b) => b.type === 'tool_call' && b.malformed !== undefined));
  });

  for (const stop of ['max_tokens', 'refused', 'other'] as const) {
    test(`the stop reason ${stop} is told`, async () => {
      const { completion } = await play(contract, wire.answer({ text: 'Well,', stop }));
      assert.equal(completion?.stopReason, stop);
      assert.notEqual(completion.providerStopReason, undefined);
    });
  }

  test('a refused turn holds nothing to build on', async () => {
    const { completion } = await play(
      contract,
      wire.answer({
        text: 'First you',
        stop: 'refused',
        calls: [{ id: 'call_a', name: 'find_order', input: { id: 1 } }],
      }),
    );
    assert.equal(completion?.stopReason, 'refused');
    assert.deepEqual(callsOf(completion.blocks), []);
  });

  for (const size of [1, 2, 7, 64]) {
    test(`bytes that arrive in pieces of ${size} make the same turn`, async () => {
      const turn = {
        text: UMLAUTS,
        calls: [{ id: 'call_a', name: 'find_order', input: { id: 1, note: 'ä'.repeat(20) } }],
      };
      const whole = await play(contract, wire.answer(turn));
      const cut = await play(contract, cutEvery(size, wire.answer(turn)));
      assert.equal(cut.text, whole.text);
      assert.deepEqual(cut.completion, whole.completion);
    });
  }
}

function textsOf(blocks: readonly { readonly type: string; readonly text?: string }[]): string {
  return blocks.map((block) => (block.type === 'text' ? block.text : '')).join('');
}

function callsOf(
  blocks: readonly { readonly type: string }[],
): { readonly id: string; readonly name: string; readonly input: Json }[] {
  return blocks
    .filter((block) => block.type === 'tool_call')
    .map((block) => {
      const { id, name, input } = block as unknown as { id: string; name: string; input: Json };
      return { id, name, input };
    });
}
