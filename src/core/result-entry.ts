import type { CallOutput } from './activity-shapes.ts';
import { positionOfKey } from './call.ts';
import type { ResultEntry } from './entry.ts';

/**
 * The transcript's entry for a call that an activity settled, from what history holds of it. Who
 * records a result and who reads it must arrive at the same entry: its digest is taken over this.
 */
export function resultEntryOf(
  call: { readonly key: string; readonly callId: string; readonly tool: string },
  output: Pick<CallOutput, 'outcome' | 'effect' | 'content' | 'shownAs' | 'original'>,
): ResultEntry {
  const { turn, step, index } = positionOfKey(call.key);
  return {
    kind: 'result',
    turn,
    step,
    index,
    key: call.key,
    callId: call.callId,
    tool: call.tool,
    outcome: output.outcome,
    effect: output.effect,
    content: output.content,
    ...(output.shownAs === undefined ? {} : { shownAs: output.shownAs }),
    ...(output.original === undefined ? {} : { original: output.original }),
  };
}
