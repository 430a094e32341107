import type { ConversationState } from '../core/conversation-state.ts';
import { isJsonObject } from '../core/json.ts';

/**
 * What an earlier run of the same conversation handed over. Believed only of a run that has a
 * predecessor, and even then only when it has the shape: anybody could continue a foreign workflow.
 */
export function readResumed(argument: unknown, run: string): ConversationState | undefined {
  if (!isJsonObject(argument) || !isJsonObject(argument['resumed'])) return undefined;
  const resumed: unknown = argument['resumed'];
  const state = resumed as ConversationState;
  return { ...state, position: { ...state.position, run } };
}
