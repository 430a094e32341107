import type { ConversationRecord } from '../../client/index.ts';
import type { RequestFindings } from '../../worker/lint-conversation.ts';
import { bold } from '../print.ts';
import { count } from '../words.ts';
import type { Stuck } from './examine-task.ts';

/** Whether the conversation is stuck, and what gets it on. */
export function taskLines(record: ConversationRecord, stuck: Stuck | undefined): readonly string[] {
  const head = bold('workflow task');
  if (record.status !== 'RUNNING') return [`${head}: none, the conversation has ended`];
  if (stuck === undefined) return [`${head}: does not fail`];
  const { task, replayed, again } = stuck;
  const lines = [`${head}: fails, now at attempt ${task.attempt}: ${task.reason}`];
  if (replayed.replays) {
    return [...lines, '  this version replays all of it: with workers of this version it goes on'];
  }
  if (replayed.resetTo === undefined) {
    return [...lines, '  this version replays nothing of it: start the conversation anew'];
  }
  return [
    ...lines,
    `  a reset to event ${replayed.resetTo} helps: all before it replays; signals and updates after it are applied again`,
    ...(again?.completions
      ? [`  asked of the model again: ${count(again.completions, 'completion')}`]
      : []),
    ...(again?.calls ?? []).map(
      ({ tool, effect, summary, key }) => `  runs again: ${summary}  (${tool}, ${effect}, ${key})`,
    ),
  ];
}

/** What the next request to the model would be. */
export function requestLines(findings: RequestFindings): readonly string[] {
  const head = bold('next request');
  if (findings.state === 'unknown') return [`${head}: not looked at: ${findings.why}`];
  const { lint, missing } = findings;
  const lost = missing.map(
    (sha256) => `  blob ${sha256} is missing: the model is told what was lost`,
  );
  if ('problem' in lint) return [`${head}: cannot be sent: ${lint.problem.message}`, ...lost];
  if (lint.repairs.length === 0) return [`${head}: valid`, ...lost];
  return [
    `${head}: mended before it is sent, as every request is; nothing need be applied`,
    ...lint.repairs.map(({ rule, at, what }) => `  ${rule} at ${at}: ${what}`),
    ...lost,
  ];
}
