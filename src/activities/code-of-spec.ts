import type { Spec } from '../core/spec.ts';
import type { Model } from '../models/model.ts';
import type { Agent } from '../tools/agent.ts';
import { notKnownHere } from './attempt-failure.ts';
import type { ActivityEnvironment } from './environment.ts';

/**
 * Today's code of a frozen agent: the agent by its name, and one of its models by id.
 * @throws {ApplicationFailure} `NotKnownHere` when this worker lacks one of them
 */
export function modelOf(
  { agents, deployPatienceMs }: Pick<ActivityEnvironment, 'agents' | 'deployPatienceMs'>,
  spec: Spec,
  modelIndex: number,
): { readonly agent: Agent<never>; readonly model: Model } {
  const agent = agents.get(spec.agent);
  if (agent === undefined) {
    throw notKnownHere(`this worker does not know the agent "${spec.agent}"`, {
      known: [...agents.keys()],
      patienceMs: deployPatienceMs,
    });
  }
  const wanted = spec.models[modelIndex];
  const model = agent.models.find(
    ({ id, provider }) => id === wanted?.id && provider === wanted.provider,
  );
  if (model !== undefined) return { agent, model };
  throw notKnownHere(`agent "${agent.name}" has no model "${wanted?.id}" on this worker`, {
    known: agent.models.map(({ id }) => id),
    patienceMs: deployPatienceMs,
  });
}
