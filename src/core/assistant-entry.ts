import type { ModelOutput } from './activity-shapes.ts';
import type { AssistantEntry } from './entry.ts';

/** The transcript's entry for a completion, from what history holds of it. Its digest is `entryDigest`. */
export function assistantEntryOf(
  turn: number,
  step: number,
  output: Pick<ModelOutput, 'format' | 'model' | 'turn'>,
): AssistantEntry {
  return {
    kind: 'assistant',
    turn,
    step,
    format: output.format,
    model: output.model,
    raw: output.turn,
  };
}
