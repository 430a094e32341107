import { ApplicationFailure, type Context } from '@temporalio/activity';
import type { CallInput } from '../core/activity-shapes.ts';
import { describeError } from '../core/describe-error.ts';
import type { Json } from '../core/json.ts';
import type { Outcome } from '../core/outcome.ts';
import type { Spec, ToolSpec } from '../core/spec.ts';
import { BlobMissing } from '../blobs/blob-store.ts';
import { loadValue } from '../blobs/stored-value.ts';
import type { Tool } from '../tools/tool.ts';
import { notKnownHere, storeUnavailable } from './attempt-failure.ts';
import type { ActivityEnvironment } from './environment.ts';
import { watchInterruptions } from './interruptions.ts';
import { runLocation } from './run-location.ts';
import type { RunLocation } from './transcript/transcript-reader.ts';

/** A call with everything that is needed to run it. */
export interface PreparedCall {
  readonly location: RunLocation;
  readonly conversationId: string;
  readonly spec: Spec;
  /** As it was when the conversation began: it decides about effect, time and size. */
  readonly tool: ToolSpec;
  /** As it is in today's code: it runs. */
  readonly code: Tool<never>;
  readonly input: Json;
}

export type Preparation =
  | { readonly kind: 'ready'; readonly call: PreparedCall }
  | { readonly kind: 'settled'; readonly outcome: Outcome };

/**
 * Finds what a call needs: its frozen tool, its code, its arguments. Nothing of the tool runs.
 * @throws {ApplicationFailure} `NotKnownHere`, `StoreUnavailable`: the attempt failed before it began.
 */
export async function prepareCall(
  environment: ActivityEnvironment,
  context: Context,
  input: CallInput,
): Promise<Preparation> {
  const location = runLocation(context.info);
  const spec = await readSpec(environment, location, input);
  if (spec instanceof BlobMissing) {
    return settled('tool_failed', `What this conversation runs on was lost: ${spec.message}.`);
  }
  const tool = spec.tools.find(({ name }) => name === input.tool);
  if (tool === undefined) {
    const names = spec.tools.map(({ name }) => name).join(', ');
    return settled('unknown_tool', `No tool is named "${input.tool}". There are: ${names}.`);
  }
  const code = codeOf(environment, spec.agent, input.tool);
  try {
    const value = await loadValue(environment.blobs, location.workflowId, input.input);
    const conversationId = location.workflowId;
    return {
      kind: 'ready',
      call: { location, conversationId, spec, tool, code, input: value },
    };
  } catch (error) {
    if (error instanceof BlobMissing) {
      return settled('tool_failed', `The arguments of this call were lost: ${error.message}.`);
    }
    throw storeUnavailable(
      `the arguments of call ${input.key} could not be read from the blob store: ${describeError(error)}`,
      error,
    );
  }
}

/** A store that hangs must not hold a stop up; nothing of the tool has run. */
export async function prepareUnlessStopped(
  environment: ActivityEnvironment,
  context: Context,
  input: CallInput,
): Promise<Preparation | 'stopped'> {
  const interruptions = watchInterruptions(context, { waitsForShutdown: true });
  try {
    const preparation = prepareCall(environment, context, input);
    const stopped = interruptions.told.then(() => 'stopped' as const);
    return await Promise.race([stopped, preparation]);
  } finally {
    interruptions.end();
  }
}

async function readSpec(
  environment: ActivityEnvironment,
  location: RunLocation,
  input: CallInput,
): Promise<Spec | BlobMissing> {
  try {
    return await environment.transcripts.spec(location, input.spec);
  } catch (error) {
    if (error instanceof BlobMissing) return error;
    if (error instanceof ApplicationFailure) throw error;
    throw storeUnavailable(
      `the spec ${input.spec} of conversation "${location.workflowId}" could not be read: ${describeError(error)}`,
      error,
    );
  }
}

function codeOf(environment: ActivityEnvironment, agentName: string, tool: string): Tool<never> {
  const patienceMs = environment.deployPatienceMs;
  const agent = environment.agents.get(agentName);
  if (agent === undefined) {
    const known = [...environment.agents.keys()];
    throw notKnownHere(
      `this worker does not know the agent "${agentName}"; it knows: ${known.join(', ')}`,
      { known, patienceMs },
    );
  }
  const code = agent.tools.find(({ name }) => name === tool);
  if (code === undefined) {
    const known = agent.tools.map(({ name }) => name);
    throw notKnownHere(
      `this worker's agent "${agentName}" has no tool "${tool}"; it has: ${known.join(', ')}`,
      { known, patienceMs },
    );
  }
  return code;
}

function settled(outcome: 'unknown_tool' | 'tool_failed', message: string): Preparation {
  return { kind: 'settled', outcome: { outcome, effect: 'none', message } };
}
