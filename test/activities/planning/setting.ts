import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { afterEach } from 'vitest';
import type { ActivityEnvironment } from '../../../src/activities/environment.ts';
import { createNoLedger } from '../../../src/activities/ledger/no-ledger.ts';
import { planCalls } from '../../../src/activities/plan-calls.ts';
import type { PlanRequest } from '../../../src/activities/planning/plan-request.ts';
import { createSpecActivity } from '../../../src/activities/spec.ts';
import { createValidateActivity } from '../../../src/activities/validate.ts';
import { fileBlobStore } from '../../../src/blobs/file.ts';
import { loadValue } from '../../../src/blobs/stored-value.ts';
import type { SpecInput, ValidateInput } from '../../../src/core/activity-shapes.ts';
import type { PlannedCall } from '../../../src/core/call.ts';
import type { Json } from '../../../src/core/json.ts';
import type { ToolCallBlock } from '../../../src/core/model-request.ts';
import type { Spec, SpecRecord } from '../../../src/core/spec.ts';
import { NO_USAGE } from '../../../src/core/usage.ts';
import { scripted } from '../../../src/models/scripted.ts';
import { noEventSink } from '../../../src/streams/none.ts';
import { type AgentDefinition, defineAgent } from '../../../src/tools/define-agent.ts';
import { registerAgents } from '../../../src/tools/register-agents.ts';

export const CONVERSATION = 'order-7';

const directories: string[] = [];
afterEach(async () => {
  for (const directory of directories.splice(0)) await rm(directory, { recursive: true });
});

/** What tests leave out of an agent. */
export type AgentOptions = Partial<AgentDefinition>;

/** One worker with an agent, and the conversation that it began. */
export interface Setting {
  readonly environment: ActivityEnvironment;
  readonly begin: (input?: Partial<SpecInput>) => Promise<SpecRecord>;
  /** Plans calls of a conversation that began with `start`. */
  readonly plan: (
    blocks: readonly ToolCallBlock[],
    options?: Partial<PlanRequest> & { readonly start?: Partial<SpecInput> },
  ) => Promise<PlannedCall[]>;
  readonly validate: (
    tool: string,
    input: Json,
  ) => ReturnType<ReturnType<typeof createValidateActivity>>;
}

export async function setting(
  agent: AgentOptions,
  options: Partial<ActivityEnvironment> = {},
): Promise<Setting> {
  const directory = await mkdtemp(join(tmpdir(), 'perdure-planning-'));
  directories.push(directory);
  const defined = defineAgent({
    name: 'support',
    model: scripted([]),
    instructions: 'Help.',
    ...agent,
  });
  const specs = new Map<string, Spec>();
  const environment: ActivityEnvironment = {
    agents: registerAgents([defined]),
    deps: {},
    blobs: fileBlobStore({ directory }),
    events: noEventSink(),
    ledger: createNoLedger(),
    transcripts: {
      read: () => Promise.reject(new Error('planning reads no transcript')),
      resolveBlobs: () => Promise.reject(new Error('planning reads no transcript')),
      record: () => Promise.reject(new Error('planning reads no transcript')),
      remember: () => undefined,
      keep: () => undefined,
      rememberSpec: () => undefined,
      spec: (_location, digest) => {
        const spec = specs.get(digest);
        return spec === undefined
          ? Promise.reject(new Error(`no spec ${digest}`))
          : Promise.resolve(spec);
      },
      statistics: { hits: 0, gaps: 0, historyPages: 0, bytes: 0 },
    },
    deployPatienceMs: 60_000,
    inlineLimitBytes: 32 * 1024,
    keepTranscripts: false,
    heartbeatTimeoutMs: 60_000,
    cancelGraceMs: 5_000,
    searchAttributes: true,
    modelTaskQueues: {},
    handOver: { bytes: 3_000_000, events: 2_000 },
    identity: 'worker-1',
    ...options,
  };
  const run = async <Input, Output>(
    activity: (input: Input) => Promise<Output>,
    input: Input,
  ): Promise<Output> =>
    new MockActivityEnvironment(
      { workflowExecution: { workflowId: CONVERSATION, runId: 'run-1' } },
      { logger: new DefaultLogger('ERROR') },
    ).run(activity, input);
  const begin: Setting['begin'] = (input = {}) =>
    run(createSpecActivity(environment), {
      agent: defined.name,
      context: null,
      capabilities: [],
      control: 'policy',
      ...input,
    });
  const specOf = async (record: SpecRecord): Promise<Spec> =>
    loadValue(environment.blobs, CONVERSATION, record.spec);
  return {
    environment,
    begin,
    plan: async (blocks, { start, ...request } = {}) =>
      planCalls({
        environment,
        spec: await specOf(await begin(start)),
        agent: defined,
        position: { turn: 3, step: 2 },
        conversationId: CONVERSATION,
        blocks,
        stopReason: 'tool_calls',
        rules: [],
        state: null,
        usage: NO_USAGE,
        ...request,
      }),
    validate: async (tool, input) => {
      const record = await begin();
      specs.set(record.digest, await specOf(record));
      const request: ValidateInput = {
        spec: record.digest,
        key: `${CONVERSATION}/3.2.0.x`,
        tool,
        input,
      };
      return run(createValidateActivity(environment), request);
    },
  };
}

let count = 0;

/** A tool call as a model makes it. */
export function call(name: string, input: Json = {}, malformed?: string): ToolCallBlock {
  count += 1;
  return {
    type: 'tool_call',
    id: `call_${count}`,
    name,
    input,
    ...(malformed === undefined ? {} : { malformed }),
  };
}

/** Category and message of a call that will not run. */
export function outcomeOf(planned: PlannedCall | undefined): string {
  const verdict = planned?.verdict;
  if (typeof verdict !== 'object') return String(verdict);
  if (verdict.settled.effect !== 'none') throw new Error('a call that never began has no effect');
  return `${verdict.settled.outcome}: ${verdict.settled.message}`;
}
