import { setHandler, workflowInfo } from '@temporalio/workflow';
import { presentSummary } from '../core/conversation-summary.ts';
import { utf8Bytes } from '../core/slices.ts';
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
/** An answer is one payload, of which the server takes 2 MiB. */
const MAX_PAGE_BYTES = 1_000_000;

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
      ),
    { description: 'what waits for a person' },
  );
  setHandler(entriesQuery, (request) => pageOf(memory.headers, request), {
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

/** As many as were asked for and fit one answer; at least one, so that a reader gets on. */
function pageOf<T>(all: readonly T[], request: PageRequest | undefined): Page<T> {
  const from = wholeNumber(request?.from, 0);
  const limit = Math.min(Math.max(wholeNumber(request?.limit, DEFAULT_PAGE), 1), MAX_PAGE);
  const items: T[] = [];
  let bytes = 0;
  for (const item of all.slice(from, from + limit)) {
    bytes += utf8Bytes(JSON.stringify(item));
    if (items.length > 0 && bytes > MAX_PAGE_BYTES) break;
    items.push(item);
  }
  const end = from + items.length;
  return { items, ...(end < all.length ? { next: end } : {}) };
}

function wholeNumber(value: unknown, otherwise: number): number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 ? value : otherwise;
}
