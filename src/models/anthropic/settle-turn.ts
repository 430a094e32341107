import type { StopReasonOfModel } from '../../core/activity-shapes.ts';
import { isJsonObject, type JsonObject } from '../../core/json.ts';
import type { RawTurn, UnreadInput } from './raw-turn.ts';
import type { StreamedTurn } from './read-stream.ts';

/** The turn as it is recorded: without the blocks that the API gave and would refuse to take back. */
export function settleTurn(model: string, parts: readonly StreamedTurn[]): RawTurn {
  const content: JsonObject[] = [];
  const unread: UnreadInput[] = [];
  for (const part of parts) {
    for (const [index, block] of part.content.entries()) {
      if (block === undefined || !canReturn(block)) continue;
      const problem = part.unread.find((entry) => entry.index === index)?.problem;
      if (problem !== undefined) unread.push({ index: content.length, problem });
      content.push(block);
    }
  }
  const container = parts.findLast((part) => isJsonObject(part.container))?.container;
  return {
    model,
    content,
    ...(unread.length === 0 ? {} : { unread }),
    ...(isContainer(container) ? { container } : {}),
  };
}

/** Empty text, and thinking that was cut before its signature, are refused on the way back. */
function canReturn(block: JsonObject): boolean {
  if (block['type'] === 'text') {
    const citations = block['citations'];
    const cited = Array.isArray(citations) && citations.length > 0;
    return cited || (typeof block['text'] === 'string' && block['text'].trim() !== '');
  }
  if (block['type'] === 'thinking') {
    return typeof block['signature'] === 'string' && block['signature'] !== '';
  }
  return true;
}

function isContainer(value: unknown): value is { id: string; expires_at: string } {
  return (
    typeof value === 'object' &&
    value !== null &&
    'id' in value &&
    typeof value.id === 'string' &&
    'expires_at' in value &&
    typeof value.expires_at === 'string'
  );
}

/** The server stopped its own loop: the turn goes on when its content is sent back as it is. */
export function isPaused(turn: StreamedTurn): boolean {
  return turn.stopReason === 'pause_turn' || turn.stopReason === 'compaction';
}

export function stopReasonOf(
  stopReason: string,
  content: readonly JsonObject[],
): StopReasonOfModel {
  const hasCalls = content.some((block) => block['type'] === 'tool_use');
  switch (stopReason) {
    case 'tool_use':
      return hasCalls ? 'tool_calls' : 'other';
    case 'end_turn':
    case 'stop_sequence':
      return hasCalls ? 'tool_calls' : 'end';
    case 'max_tokens':
      return 'max_tokens';
    case 'refusal':
      return 'refused';
    case 'model_context_window_exceeded':
      return 'context_overflow';
    default:
      return 'other';
  }
}

/** The API's own word, with the category of a refusal. */
export function providerWord(turn: StreamedTurn): string {
  const details = turn.stopDetails;
  const category = isJsonObject(details) ? details['category'] : undefined;
  const word = turn.stopReason ?? '';
  return typeof category === 'string' ? `${word} (${category})` : word;
}
