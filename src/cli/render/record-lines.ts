import type {
  ConversationRecord,
  RecordedAttempt,
  RecordedCall,
  RecordedDecision,
  RecordedEntry,
} from '../../client/index.ts';
import { textOf } from '../../core/content.ts';
import { isBlobReference } from '../../core/stored.ts';
import { bold, dim, tinted } from '../print.ts';
import { callWords, contentWords, jsonWords, msWords, outcomeWords } from './call-words.ts';
import { receivedWords, whoWords } from './verdict-words.ts';

/** A conversation for people: what was said, each call with its decisions, attempts and result. */
export function recordLines(record: ConversationRecord): string[] {
  const lines: string[] = [];
  if (!record.hasFirstEntry) lines.push(dim('(older entries are not on this server any more)'));
  const shown = new Set<string>();
  let turn = -1;
  for (const recorded of record.entries) {
    if (recorded.entry.turn !== turn) {
      turn = recorded.entry.turn;
      lines.push('', bold(`turn ${turn}`));
    }
    lines.push(...entryLines(recorded, record.calls, shown));
  }
  const open = record.calls.filter(({ planned }) => !shown.has(planned.key));
  for (const call of open) lines.push(...callLines(call));
  for (const decision of record.otherDecisions) lines.push(`  ${decisionWords(decision)}`);
  return lines;
}

function entryLines(
  { entry, text, at }: RecordedEntry,
  calls: readonly RecordedCall[],
  shown: Set<string>,
): string[] {
  switch (entry.kind) {
    case 'user': {
      const by = entry.by === undefined ? 'user' : whoWords(entry.by);
      const { content } = entry;
      const said = isBlobReference(content) ? contentWords(content) : textOf(content);
      return [`${by}: ${said}  ${dim(clock(at ?? entry.at))}`];
    }
    case 'assistant': {
      const said = isBlobReference(text) ? `${text.preview} [${text.size} bytes]` : (text ?? '');
      const made = calls.filter(({ turn, step }) => turn === entry.turn && step === entry.step);
      for (const { planned } of made) shown.add(planned.key);
      return [
        `${bold('agent')}: ${said}  ${dim(`${entry.model} ${clock(at)}`)}`,
        ...made.flatMap(callLines),
      ];
    }
    case 'result':
      if (shown.has(entry.key)) return [];
      return [`  ${entry.tool}: ${outcomeWords(entry)}  ${contentWords(entry.content)}`];
    case 'note':
      return [dim(`  ${entry.code}: ${entry.text}`)];
    case 'summary':
      return [dim(`  the first ${entry.upTo} entries are shown to the model as a summary`)];
  }
}

function callLines(call: RecordedCall): string[] {
  const { planned, effectiveInput, decisions, attempts, result } = call;
  const failed = attempts.filter(({ state }) => state !== 'completed' && state !== 'open');
  const last = attempts.at(-1);
  return [
    `  → ${callWords(planned)}`,
    ...(planned.verdict === 'ask' && planned.reason !== undefined
      ? [dim(`    asked: ${planned.reason}`)]
      : []),
    ...once(decisions).map((decision) => `    ${decisionWords(decision)}`),
    ...(effectiveInput === undefined ? [] : [`    ran with ${jsonWords(effectiveInput)}`]),
    ...failed.map((attempt) => `    ${attemptWords(attempt)}`),
    result === undefined
      ? `    ${tinted('waiting', openWords(call))}`
      : `    ${outcomeWords(result)}${last === undefined ? '' : ` ${dim(lastWords(last, attempts.length))}`}  ${contentWords(result.content)}`,
  ];
}

/** A verdict that came twice, as an update and as a signal, is one. */
function once(decisions: readonly RecordedDecision[]): readonly RecordedDecision[] {
  const ids = new Set<string>();
  return decisions.filter(({ verdictId }) => {
    if (verdictId === undefined) return true;
    const isNew = !ids.has(verdictId);
    ids.add(verdictId);
    return isNew;
  });
}

function decisionWords(decision: RecordedDecision): string {
  const { refusal, via, at } = decision;
  const payload = JSON.parse(JSON.stringify(decision)) as Parameters<typeof receivedWords>[1];
  const refused = refusal === undefined ? '' : ` — refused: ${refusal.message}`;
  return `${receivedWords(decision.decision, payload)}${refused}  ${dim(`${via} ${clock(at)}`)}`;
}

function attemptWords({ activityId, kind, worker, failure, state }: RecordedAttempt): string {
  const why = failure === undefined ? state : `${failure.type}: ${failure.message}`;
  return (
    tinted('waiting', `${kind} ${activityId}: ${why}`) +
    dim(worker === undefined ? '' : `  ${worker}`)
  );
}

function lastWords({ scheduledAt, endedAt, worker }: RecordedAttempt, count: number): string {
  const ms = endedAt === undefined ? '' : msWords(Date.parse(endedAt) - Date.parse(scheduledAt));
  const attempts = count > 1 ? `, ${count} attempts` : '';
  return `${ms}${attempts}${worker === undefined ? '' : `, ${worker}`}`;
}

function openWords({ attempts, planned, decisions }: RecordedCall): string {
  if (attempts.some(({ state }) => state === 'open')) return 'running';
  return planned.verdict === 'ask' && decisions.length === 0
    ? 'waits for an approval'
    : 'not settled yet';
}

/** Time of day, to the second. */
function clock(at: string | undefined): string {
  return at === undefined ? '' : at.slice(11, 19);
}
