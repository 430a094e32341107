import { randomUUID } from 'node:crypto';
import { chainDigest, digestOf } from '../../src/activities/transcript/digest.ts';
import type { CallInput, CallOutput, ModelOutput } from '../../src/core/activity-shapes.ts';
import { assistantEntryOf } from '../../src/core/assistant-entry.ts';
import type { PlannedCall } from '../../src/core/call.ts';
import type { Content } from '../../src/core/content.ts';
import type { Entry, Position } from '../../src/core/entry.ts';
import { resultEntryOf } from '../../src/core/result-entry.ts';
import type { Stored } from '../../src/core/stored.ts';
import { NO_USAGE } from '../../src/core/usage.ts';

/** Where a conversation stands when a completion is made. */
export interface Standing {
  readonly turn: number;
  readonly step: number;
  readonly position: Position;
  readonly since: readonly Entry[];
}

/** What the activity of a completion returns, digests made as it makes them. */
export function modelOutputOf(
  { turn, step, position, since }: Standing,
  raw: unknown,
  plan: readonly PlannedCall[] = [],
  text?: string,
): ModelOutput {
  const output = { turn: raw as ModelOutput['turn'], format: 'scripted', model: 'scripted-1' };
  const entryDigest = digestOf(assistantEntryOf(turn, step, output));
  const digests = [...since.map((entry) => digestOf(entry)), entryDigest];
  return {
    ...output,
    entryDigest,
    transcriptDigest: digests.reduce<string | null>(chainDigest, position.digest) ?? '',
    count: position.count + digests.length,
    stopReason: plan.length === 0 ? 'end' : 'tool_calls',
    usage: NO_USAGE,
    plan,
    ...(text === undefined ? {} : { text }),
  };
}

/** A call as the next completion plans it. */
export function plannedCall(
  at: {
    readonly conversation: string;
    readonly turn: number;
    readonly step: number;
    readonly index: number;
  },
  more: Partial<PlannedCall> = {},
): PlannedCall {
  const { conversation, turn, step, index } = at;
  const tool = more.tool ?? 'lookup';
  return {
    key: `${conversation}/${turn}.${step}.${index}.${randomUUID().slice(0, 8)}`,
    callId: `call_${index}`,
    index,
    tool,
    input: { n: index },
    inputDigest: digestOf({ n: index }),
    verdict: 'run',
    effect: 'read',
    danger: false,
    timeout: 60_000,
    parallelSafe: true,
    summary: `${tool} ${index}`,
    ...more,
  };
}

export function callInputOf({ key, callId, tool, input }: PlannedCall, attempt = 1): CallInput {
  return { spec: 'spec-digest', key, callId, tool, input, attempt };
}

/** What the activity of a tool returns. */
export function callOutputOf(
  call: Pick<PlannedCall, 'key' | 'callId' | 'tool'>,
  content: Stored<Content>,
  more: Partial<CallOutput> = {},
): CallOutput {
  const output = {
    outcome: 'ok',
    effect: 'happened',
    content,
    size: 1,
    tokens: 1,
    ...more,
  } as const;
  return { ...output, digest: digestOf(resultEntryOf(call, output)) };
}
