import type { PlannedCall } from './call.ts';
import type { SettledCall } from './conversation-state.ts';
import type { CallOutput } from './activity-shapes.ts';
import { textOf } from './content.ts';
import type { ResultEntry } from './entry.ts';
import { type Outcome, outcomeText } from './outcome.ts';
import { utf8Bytes } from './slices.ts';
import { isBlobReference, previewOf } from './stored.ts';

/** A result that no activity made: the call never began, or nobody could say how it ended. */
export function settleWithout(
  call: PlannedCall,
  place: { readonly turn: number; readonly step: number },
  outcome: Outcome,
): SettledCall {
  const text = outcomeText(outcome);
  const entry: ResultEntry = {
    kind: 'result',
    ...place,
    index: call.index,
    key: call.key,
    callId: call.callId,
    tool: call.tool,
    outcome: outcome.outcome,
    effect: outcome.effect,
    content: text,
  };
  const size = utf8Bytes(text);
  return {
    item: { entry },
    outcome: outcome.outcome,
    effect: outcome.effect,
    size,
    tokens: Math.ceil(size / 3.2),
    preview: previewOf(text),
  };
}

/** A result that an activity returned: its content stays where it is recorded. */
export function settleBy(activityId: string, output: CallOutput): SettledCall {
  const { content } = output;
  return {
    item: { activityId, digest: output.digest },
    outcome: output.outcome,
    effect: output.effect,
    size: output.size,
    tokens: output.tokens,
    preview: isBlobReference(content)
      ? content.preview
      : previewOf(textOf(content).slice(0, 1_000)),
    ...(output.patch === undefined ? {} : { patch: output.patch }),
  };
}
