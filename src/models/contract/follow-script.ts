import { isJsonObject } from '../../core/json.ts';
import type { RecordedRequest, Respond } from './model-server.ts';
import type { ModelWire, WireTurn } from './wire.ts';

/**
 * A server that plays a conversation: each request gets the turn that follows the assistant turns
 * in it. Restarts and retries change nothing, and many conversations may run at once.
 */
export function followScript(
  wire: ModelWire,
  script: readonly WireTurn[] | ((turn: number, request: RecordedRequest) => WireTurn),
): Respond {
  return (request) => {
    const turn = turnOf(wire, request);
    const played = typeof script === 'function' ? script(turn, request) : script[turn];
    if (played === undefined) {
      const words = `the script has ${script.length} turns, the conversation asks for turn ${turn + 1}`;
      return { status: 400, chunks: [Buffer.from(words)] };
    }
    return wire.answer(played);
  };
}

/** Turns that the request shows. A turn of several items is followed by something that is none. */
function turnOf(wire: ModelWire, request: RecordedRequest): number {
  let turns = 0;
  let isInTurn = false;
  for (const message of wire.read(request.body).messages) {
    const type = isJsonObject(message) ? message['type'] : undefined;
    const isAssistant =
      isJsonObject(message) &&
      (message['role'] === 'assistant' || type === 'function_call' || type === 'reasoning');
    if (isAssistant && !isInTurn) turns += 1;
    isInTurn = isAssistant;
  }
  return turns;
}
