import { ApplicationFailure } from '@temporalio/workflow';
import type { SpecInput } from '../core/activity-shapes.ts';
import { lowerLimits } from '../core/limits.ts';
import { ACTIVITIES, activityIds } from '../core/names.ts';
import type { SpecRecord } from '../core/spec.ts';
import type { Memory } from './memory.ts';
import { ownActivity } from './own-activity.ts';

/** Reads the agent's code into the spec that the conversation runs on. @throws ApplicationFailure */
export async function readSpec(memory: Memory, adoptedAtTurn?: number): Promise<void> {
  const { agent, context, capabilities, control, by, tenant, askedLimits, shared } = memory.state;
  const input: SpecInput = {
    agent,
    context,
    capabilities,
    control,
    store: memory.state.spec.blobStore,
    ...(by === undefined ? {} : { by }),
    ...(tenant === undefined ? {} : { tenant }),
    // Checked against the agent's schema once, where it enters.
    ...(adoptedAtTurn === undefined && shared.state !== null ? { state: shared.state } : {}),
  };
  const spec = await ownActivity<SpecRecord>(memory, {
    type: ACTIVITIES.spec,
    activityId: activityIds.spec(adoptedAtTurn),
    input,
    summary: 'what this conversation runs on',
  });
  const limits = lowerLimits(spec.settings.limits, askedLimits);
  memory.update({ spec, limits, modelIndex: modelIndexAfter(memory, spec) });
}

/** A change of the agent that cannot be taken over ends no conversation: it goes on as it was. */
export async function adoptSpec(memory: Memory, turn: number): Promise<void> {
  try {
    await readSpec(memory, turn);
  } catch (error) {
    if (!(error instanceof ApplicationFailure)) throw error;
    memory.note('agent_not_adopted', error.message, new Date().toISOString());
  }
}

/** The model that the conversation has come to, where the agent still has it; else the first. */
function modelIndexAfter({ state }: Memory, { settings }: SpecRecord): number {
  const model = state.spec.settings?.models[state.modelIndex];
  return model === undefined ? 0 : Math.max(settings.models.indexOf(model), 0);
}
