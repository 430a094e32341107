import type { ConversationState } from '../core/conversation-state.ts';
import { isJsonObject, type Json } from '../core/json.ts';

/**
 * What an earlier run of the same conversation handed over. Believed only of a run that has a
 * predecessor, and even then only when it has the shape: anybody could continue a foreign workflow.
 */
export function readResumed(argument: unknown, run: string): ConversationState | undefined {
  if (!isJsonObject(argument) || !isState(argument['resumed'])) return undefined;
  const state = argument['resumed'] as unknown as ConversationState;
  return { ...state, position: { ...state.position, run } };
}

/**
 * What a state is told by: the parts that a run reads before it does anything else. No more, for
 * what is refused here ends the conversation: a state that only a newer worker understands fails
 * its workflow tasks instead, until that worker takes them.
 */
function isState(value: Json | undefined): boolean {
  if (!isJsonObject(value)) return false;
  const { spec, position, items, inbox, approvals, counters } = value;
  return (
    isJsonObject(spec) &&
    isJsonObject(spec['settings']) &&
    isJsonObject(position) &&
    Array.isArray(items) &&
    isJsonObject(inbox) &&
    Array.isArray(inbox['queued']) &&
    isJsonObject(approvals) &&
    Array.isArray(approvals['pending']) &&
    isJsonObject(counters)
  );
}
