import type { ConversationSummary } from './status.ts';
import { addUsage, type Usage } from './usage.ts';

export const EMPTY_SUMMARY: ConversationSummary = {
  calls: {},
  completions: 0,
  usagePerModel: {},
  repeated: [],
  warnings: [],
};

/** Different calls that are watched for repetition, the newest. */
const WATCHED_CALLS = 100;
const MAX_WARNINGS = 20;
/** The same call this often is likely a loop. */
const SUSPICIOUS_REPETITIONS = 3;

export function addCompletion(
  summary: ConversationSummary,
  model: string,
  usage: Usage,
): ConversationSummary {
  const before = summary.usagePerModel[model];
  return {
    ...summary,
    completions: summary.completions + 1,
    usagePerModel: {
      ...summary.usagePerModel,
      [model]: before === undefined ? usage : addUsage(before, usage),
    },
  };
}

export function addCall(
  summary: ConversationSummary,
  call: { readonly tool: string; readonly inputDigest: string; readonly outcome: string },
): ConversationSummary {
  const { tool, inputDigest, outcome } = call;
  const ofTool = summary.calls[tool] ?? {};
  const same = summary.repeated.find(
    (seen) => seen.tool === tool && seen.inputDigest === inputDigest,
  );
  const times = (same?.times ?? 0) + 1;
  const others = summary.repeated.filter((seen) => seen !== same);
  return {
    ...summary,
    calls: { ...summary.calls, [tool]: { ...ofTool, [outcome]: (ofTool[outcome] ?? 0) + 1 } },
    repeated: [...others, { tool, inputDigest, times }].slice(-WATCHED_CALLS),
    warnings:
      times === SUSPICIOUS_REPETITIONS
        ? addWarning(summary.warnings, `${tool} was called ${times} times with the same arguments`)
        : summary.warnings,
  };
}

export function addWarning(warnings: readonly string[], warning: string): readonly string[] {
  return [...warnings.filter((known) => known !== warning), warning].slice(-MAX_WARNINGS);
}

/** What people are shown: of the watched calls only those that repeat. */
export function presentSummary(summary: ConversationSummary): ConversationSummary {
  return { ...summary, repeated: summary.repeated.filter(({ times }) => times > 1) };
}
