import type { EffectState } from './effect.ts';
import type { ConversationSummary } from './status.ts';
import { addUsage, type Usage } from './usage.ts';

export const EMPTY_SUMMARY: ConversationSummary = {
  calls: {},
  completions: 0,
  usagePerModel: {},
  repeated: [],
  warnings: [],
};

const NO_FAILED_ATTEMPTS = { count: 0, withoutUsage: 0 };

/** Different calls that are watched for repetition, the newest. */
const WATCHED_CALLS = 100;
const MAX_WARNINGS = 20;
/** Names come from models and providers too: a summary that each new one made longer had no end. */
const MAX_TOOLS = 200;
const MAX_MODELS = 50;
const OTHERS = '(others)';
/** The same call this often is likely a loop. */
const SUSPICIOUS_REPETITIONS = 3;

/** What tells a call that is made again. */
export interface WatchedCall {
  readonly tool: string;
  readonly inputDigest: string;
}

export function addCompletion(
  summary: ConversationSummary,
  model: string,
  usage: Usage,
): ConversationSummary {
  const added = addUsageOfModel(summary, model, usage);
  return { ...added, completions: summary.completions + 1 };
}

/** Of work that was no completion of the conversation: a summary, an attempt that failed. */
export function addUsageOfModel(
  summary: ConversationSummary,
  model: string,
  usage: Usage,
): ConversationSummary {
  const { usagePerModel } = summary;
  const name = knownOrOthers(usagePerModel, model, MAX_MODELS);
  const before = usagePerModel[name];
  return {
    ...summary,
    usagePerModel: {
      ...usagePerModel,
      [name]: before === undefined ? usage : addUsage(before, usage),
    },
  };
}

/** `isUsageKnown`: what the attempt used arrived; otherwise nobody knows whether it is to be paid. */
export function addFailedAttempt(
  summary: ConversationSummary,
  isUsageKnown: boolean,
): ConversationSummary {
  const { count, withoutUsage } = summary.failedAttempts ?? NO_FAILED_ATTEMPTS;
  const failedAttempts = {
    count: count + 1,
    withoutUsage: withoutUsage + (isUsageKnown ? 0 : 1),
  };
  return { ...summary, failedAttempts };
}

export function addCall(
  summary: ConversationSummary,
  call: WatchedCall & { readonly outcome: string; readonly effectState: EffectState },
): ConversationSummary {
  const { tool, inputDigest, outcome, effectState } = call;
  const name = knownOrOthers(summary.calls, tool, MAX_TOOLS);
  const ofTool = summary.calls[name] ?? {};
  const same = sameCall(summary, call);
  const times = (same?.times ?? 0) + 1;
  const isUnknown = effectState === 'unknown' || same?.effectUnknown === true;
  const counted = {
    tool,
    inputDigest,
    times,
    ...(isUnknown ? { effectUnknown: true as const } : {}),
  };
  const others = summary.repeated.filter((seen) => seen !== same);
  return {
    ...summary,
    calls: { ...summary.calls, [name]: { ...ofTool, [outcome]: (ofTool[outcome] ?? 0) + 1 } },
    repeated: [...others, counted].slice(-WATCHED_CALLS),
    warnings:
      times === SUSPICIOUS_REPETITIONS
        ? addWarning(summary.warnings, `${tool} was called ${times} times with the same arguments`)
        : summary.warnings,
  };
}

/** Whether the same call was made before, and nobody knows what that did. */
export function mayHaveHappened(summary: ConversationSummary, call: WatchedCall): boolean {
  return sameCall(summary, call)?.effectUnknown === true;
}

export function addWarning(warnings: readonly string[], warning: string): readonly string[] {
  return [...warnings.filter((known) => known !== warning), warning].slice(-MAX_WARNINGS);
}

/** What people are shown: of the watched calls only those that repeat. */
export function presentSummary(summary: ConversationSummary): ConversationSummary {
  return { ...summary, repeated: summary.repeated.filter(({ times }) => times > 1) };
}

function sameCall(
  { repeated }: ConversationSummary,
  { tool, inputDigest }: WatchedCall,
): ConversationSummary['repeated'][number] | undefined {
  return repeated.find((seen) => seen.tool === tool && seen.inputDigest === inputDigest);
}

function knownOrOthers(counted: object, name: string, max: number): string {
  const isKnown = Object.hasOwn(counted, name) || Object.keys(counted).length < max;
  return isKnown ? name : OTHERS;
}
