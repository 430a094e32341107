import { inboxBytes, MAX_HISTORY_BYTES } from '../core/inline-budget.ts';
import type { Json } from '../core/json.ts';
import { oncePer } from '../core/once-per.ts';
import type { Refusal } from '../core/refusal.ts';
import { utf8Bytes } from '../core/slices.ts';
import type { Memory, WaitingEdit } from './memory.ts';

const editBytes = oncePer(({ verdict: { input } }: WaitingEdit) =>
  input === undefined ? 0 : utf8Bytes(JSON.stringify(input)),
);

/**
 * Why something large is not taken now: the server would end the run before it is in the blob store.
 * The next run has room again.
 */
export function whyNoRoom(memory: Memory, value: Json): Refusal | undefined {
  const edits = memory.edits.reduce((sum, edit) => sum + editBytes(edit), 0);
  const waiting = inboxBytes(memory.state.inbox) + edits;
  const bytes = utf8Bytes(JSON.stringify(value));
  if (memory.historyBytes() + waiting + bytes <= MAX_HISTORY_BYTES) return undefined;
  return {
    code: 'inbox_full',
    message: `${waiting} bytes wait already, and the history of this run holds no ${bytes} more: send it later`,
  };
}
