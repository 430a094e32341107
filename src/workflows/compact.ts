import { isCancellation } from '@temporalio/workflow';
import type { CompactInput, CompactOutput } from '../core/activity-shapes.ts';
import { ACTIVITIES, activityIds } from '../core/names.ts';
import type { Memory } from './memory.ts';
import { ownActivity } from './own-activity.ts';

/** Has the transcript shown shorter; undefined when that is not possible, which the audit then says. */
export async function compact(
  memory: Memory,
  reason: 'budget' | 'overflow',
): Promise<CompactOutput | undefined> {
  const { spec, position, items, view, segment, turn, step, modelIndex } = memory.state;
  const { contextBudget } = spec.settings;
  const { contextTokens } = memory.state;
  const input: CompactInput = {
    spec: spec.digest,
    position,
    items,
    reason,
    modelIndex,
    ...(contextBudget === undefined ? {} : { budget: contextBudget }),
    ...(contextTokens === 0 ? {} : { contextTokens }),
    ...(view === undefined ? {} : { view }),
    ...(segment === null ? {} : { segment }),
  };
  try {
    return await ownActivity<CompactOutput>(memory, {
      type: ACTIVITIES.compact,
      activityId: activityIds.compact(turn, step + 1),
      input,
      summary: reason === 'budget' ? 'the context budget is reached' : 'the context window is full',
    });
  } catch (error) {
    if (isCancellation(error)) throw error;
    const text = error instanceof Error ? error.message : String(error);
    memory.note('compaction_failed', text, new Date().toISOString());
    return undefined;
  }
}
