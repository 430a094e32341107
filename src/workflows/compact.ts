import { isCancellation } from '@temporalio/workflow';
import type { CompactInput, CompactOutput } from '../core/activity-shapes.ts';
import { floorAfterFailure, nextContextTokens } from '../core/compaction-due.ts';
import { addUsageOfModel } from '../core/conversation-summary.ts';
import { ACTIVITIES, activityIds } from '../core/names.ts';
import { addCost, addUsage } from '../core/usage.ts';
import type { Memory } from './memory.ts';
import { ownActivity } from './own-activity.ts';

/**
 * Has the transcript shown shorter. Where that is not possible the audit says why, and it is not
 * asked for again before the context has grown further.
 * @returns whether it is shown shorter now
 */
export async function compact(memory: Memory, reason: 'budget' | 'overflow'): Promise<boolean> {
  const { spec, position, items, view, segment, turn, step, modelIndex } = memory.state;
  const { contextBudget } = spec.settings;
  const contextTokens = nextContextTokens(memory.state);
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
    const output = await ownActivity<CompactOutput>(memory, {
      type: ACTIVITIES.compact,
      activityId: activityIds.compact(turn, step + 1),
      input,
      summary: reason === 'budget' ? 'the context budget is reached' : 'the context window is full',
    });
    return apply(memory, output);
  } catch (error) {
    if (isCancellation(error)) throw error;
    const text = error instanceof Error ? error.message : String(error);
    memory.note('compaction_failed', text, new Date().toISOString());
    memory.update({ compactionFloor: floorAfterFailure(memory.state) });
    return false;
  }
}

function apply(memory: Memory, output: CompactOutput): boolean {
  const { state } = memory;
  const { view, entry, model, usage, contextTokens = 0, problem } = output;
  const cost = addCost(state.cost, output.cost);
  memory.update({
    usage: addUsage(state.usage, usage),
    ...(model === undefined ? {} : { summary: addUsageOfModel(state.summary, model, usage) }),
    ...(cost === undefined ? {} : { cost }),
    // What waits is in the figure; the next completion replaces it by the provider's.
    contextTokens,
    waitingTokens: 0,
  });
  if (view !== undefined) memory.update({ view, compactionFloor: 'measure' });
  if (entry !== undefined) memory.addEntry(entry);
  if (problem !== undefined) memory.note('compaction_problem', problem, new Date().toISOString());
  return view !== undefined;
}
