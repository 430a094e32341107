import { setHandler, workflowInfo } from '@temporalio/workflow';
import { presentSummary } from '../core/conversation-summary.ts';
import type { Page, StatusAnswer } from '../core/status.ts';
import type { Memory } from './memory.ts';
import {
  approvalsQuery,
  entriesQuery,
  type PageRequest,
  specQuery,
  stateQuery,
  statusQuery,
  summaryQuery,
} from './messages.ts';

const DEFAULT_PAGE = 100;
const MAX_PAGE = 500;
/** Requests hold arguments of up to 32 KiB each: a page must stay below a payload's limit. */
const MAX_APPROVALS_PAGE = 25;

/** Registers the queries (format.md §1). All answers are bounded. */
export function answerQueries(memory: Memory): void {
  setHandler(statusQuery, () => statusAnswer(memory), {
    description: 'what it does, and what it spent',
  });
  setHandler(
    approvalsQuery,
    (request) =>
      pageOf(
        memory.state.approvals.pending.map((pending) => pending.request),
        request,
        MAX_APPROVALS_PAGE,
      ),
    { description: 'what waits for a person' },
  );
  setHandler(entriesQuery, (request) => pageOf(memory.headers, request, MAX_PAGE), {
    description: 'headers of the transcript of this run',
  });
  setHandler(stateQuery, () => memory.state.shared, { description: 'the shared state' });
  setHandler(summaryQuery, () => presentSummary(memory.state.summary), {
    description: 'calls, completions, usage per model',
  });
  setHandler(
    specQuery,
    () => {
      const { digest, settings } = memory.state.spec;
      if (digest === '') return null;
      return {
        digest,
        agent: settings.agent,
        model: settings.models[memory.state.modelIndex] ?? '',
        tools: settings.tools,
        limits: memory.state.limits,
      };
    },
    { description: 'the frozen agent' },
  );
}

export function statusAnswer(memory: Memory): StatusAnswer {
  const { state } = memory;
  return {
    status: memory.status,
    agent: state.agent,
    mode: state.mode,
    turn: state.turn,
    step: state.step,
    run: workflowInfo().runId,
    startedAt: state.startedAt,
    pending: state.approvals.pending.length,
    queued: state.inbox.queued.length,
    ...(memory.waitingUntilMs === undefined
      ? {}
      : { waitingUntil: new Date(memory.waitingUntilMs).toISOString() }),
    ...(memory.waitingFor === undefined ? {} : { waitingFor: memory.waitingFor.slice(0, 1_000) }),
    usage: state.usage,
    ...(state.cost === undefined ? {} : { cost: state.cost }),
    limits: state.limits,
    rules: state.rules,
    ...(state.lastTurn === undefined ? {} : { lastTurn: state.lastTurn }),
  };
}

function pageOf<T>(items: readonly T[], request: PageRequest | undefined, max: number): Page<T> {
  const from = wholeNumber(request?.from, 0);
  const limit = Math.min(Math.max(wholeNumber(request?.limit, DEFAULT_PAGE), 1), max);
  const end = from + limit;
  return { items: items.slice(from, end), ...(end < items.length ? { next: end } : {}) };
}

function wholeNumber(value: unknown, otherwise: number): number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 ? value : otherwise;
}
