import type { JsonObject } from '../../core/json.ts';
import { callsOf } from './raw-turn.ts';

/**
 * For templates that know one call per message: a turn with several calls becomes several turns,
 * each followed by its own result.
 */
export function oneCallAMessage(messages: readonly JsonObject[]): JsonObject[] {
  const single: JsonObject[] = [];
  const placed = new Set<JsonObject>();
  for (const [index, message] of messages.entries()) {
    if (placed.has(message)) continue;
    const calls = callsOf(message);
    if (calls.length < 2) {
      single.push(message);
      continue;
    }
    const results = resultsAfter(messages, index);
    for (const [n, call] of calls.entries()) {
      single.push({
        ...(n === 0 ? message : { role: 'assistant', content: null }),
        tool_calls: [call],
      });
      for (const result of results.filter((found) => found['tool_call_id'] === call['id'])) {
        single.push(result);
        placed.add(result);
      }
    }
  }
  return single;
}

function resultsAfter(messages: readonly JsonObject[], index: number): readonly JsonObject[] {
  const after = messages.slice(index + 1);
  const end = after.findIndex((message) => message['role'] !== 'tool');
  return end === -1 ? after : after.slice(0, end);
}
