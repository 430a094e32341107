import { activityInfo } from '@temporalio/activity';
import { storeValue } from '../blobs/stored-value.ts';
import type { SpecInput } from '../core/activity-shapes.ts';
import { activityIds } from '../core/names.ts';
import type { Spec, SpecRecord } from '../core/spec.ts';
import type { Agent } from '../tools/agent.ts';
import { notKnownHere } from './attempt-failure.ts';
import type { ActivityEnvironment } from './environment.ts';
import { heldTools } from './planning/held-tools.ts';
import { runLocation } from './run-location.ts';
import { starterProblems, startProblems } from './spec/check-start.ts';
import { evaluateInstructions } from './spec/evaluate-instructions.ts';
import { settingsOf } from './spec/settings.ts';
import { invalidStart } from './spec/spec-failure.ts';
import { toolSpec } from './spec/tool-spec.ts';
import { storeFailure } from './store-failure.ts';
import { demandStore } from './transcript/foreign-blob-store.ts';
import { measure } from './transcript/digest.ts';

/**
 * `perdure.spec`: turns an agent's code into what a conversation runs on: plain JSON, its digest,
 * and the settings by which the workflow decides.
 *
 * Fails with `NotKnownHere` (another worker may know the agent), `InvalidStart` (all problems of the
 * starter's context and state), `AgentInvalid` (instructions that fail or are empty),
 * `StoreUnavailable`.
 */
export function createSpecActivity(
  environment: ActivityEnvironment,
): (input: SpecInput) => Promise<SpecRecord> {
  return async (input) => {
    const location = runLocation(activityInfo());
    const { workflowId } = location;
    // A conversation that runs already is not ended by an agent that wants more of its start now.
    const isStart = !activityInfo().activityId.startsWith(`${activityIds.spec()}@`);
    const agent = knownAgent(input.agent, environment);
    const problems = [
      ...startProblems(agent, input),
      ...(isStart ? starterProblems(agent, input) : []),
    ];
    if (problems.length > 0) throw invalidStart(agent.name, problems);
    const spec = await freeze(agent, input);
    const measured = measure(spec);
    const { blobs, inlineLimitBytes, transcripts } = environment;
    try {
      await demandStore(blobs, workflowId, input.store);
      const record = {
        digest: measured.digest,
        spec: await storeValue(blobs, workflowId, spec, {
          inlineLimitBytes,
          preview: spec.instructions,
        }),
        settings: settingsOf(agent, environment),
        blobStore: await blobs.id(),
      };
      transcripts.rememberSpec(location, spec, measured);
      return record;
    } catch (error) {
      throw storeFailure(blobs, `keeping the spec of "${workflowId}"`, error);
    }
  };
}

function knownAgent(name: string, environment: ActivityEnvironment): Agent<never> {
  const agent = environment.agents.get(name);
  if (agent !== undefined) return agent;
  const known = [...environment.agents.keys()].sort();
  throw notKnownHere(
    `worker ${environment.identity} does not know the agent "${name}"; it knows: ${known.join(', ')}`,
    { known, patienceMs: environment.deployPatienceMs },
  );
}

async function freeze(agent: Agent<never>, input: SpecInput): Promise<Spec> {
  const { by, capabilities, context, control, tenant } = input;
  const spec: Spec = {
    agent: agent.name,
    models: agent.models.map(({ id, provider }) => ({ id, provider })),
    instructions: '',
    tools: agent.tools.map((tool) => toolSpec(tool, agent.approval)),
    hostedTools: agent.hostedTools,
    ...(agent.output === undefined ? {} : { output: agent.output }),
    context,
    capabilities,
    // A starter may ask for more control than the agent does, never for less.
    control: agent.control === 'approve' ? 'approve' : control,
    modelOptions: agent.modelOptions,
    maxOutputTokens: agent.limits.maxOutputTokens,
    ...(by === undefined ? {} : { by }),
    ...(tenant === undefined ? {} : { tenant }),
  };
  const tools = heldTools(spec).map(({ name }) => name);
  const instructions = await evaluateInstructions(agent, input, tools);
  return JSON.parse(JSON.stringify({ ...spec, instructions })) as Spec;
}
