import { describe, test } from 'vitest';
import { modelContract } from '../../src/models/contract/model-contract.ts';
import { openaiWire } from '../../src/models/contract/openai-wire.ts';
import type { ModelWire, WireTurn } from '../../src/models/contract/wire.ts';
import { openaiCompatible } from '../../src/models/openai-compatible/openai-compatible.ts';
import { endMark, markOf, openMark } from '../../src/models/text-protocol/marks.ts';
import { textProtocol } from '../../src/models/text-protocol/text-protocol.ts';

const mark = markOf('contract-conversation', '');

/** A server whose model writes envelopes, as it was told to. */
const textWire: ModelWire = {
  ...openaiWire,
  name: 'text protocol over openai',
  answer: (turn) => openaiWire.answer(written(turn)),
  cut: (turn) => openaiWire.cut(written(turn)),
};

function written({ calls = [], text = [], ...turn }: WireTurn): WireTurn {
  const pieces = typeof text === 'string' ? [text] : text;
  if (calls.length === 0 && pieces.length === 0) return turn;
  const isWhole = turn.stop === undefined || turn.stop === 'end' || turn.stop === 'tool_calls';
  const end = isWhole ? [`\n${endMark(mark)}`] : [];
  if (calls.length === 0) {
    return { ...turn, text: [`${openMark(mark, 'answer')}\n`, ...pieces, ...end] };
  }
  const written = calls.map(
    (call) =>
      `\n${openMark(mark, `call ${call.name} id=${call.id}`)}\n${call.text ?? JSON.stringify(call.input ?? {})}`,
  );
  return { ...turn, text: [...pieces, ...written, ...end], stop: turn.stop ?? 'end' };
}

modelContract({
  describe,
  test,
  wire: textWire,
  create: ({ url }, limits) =>
    textProtocol(openaiCompatible({ model: 'wire-1', baseURL: `${url}/v1`, ...limits })),
});
