import { EMPTY_BOOK } from './approval.ts';
import type { ConversationState } from './conversation-state.ts';
import { EMPTY_SUMMARY } from './conversation-summary.ts';
import { durationMs } from './duration.ts';
import { EMPTY_INBOX, enqueue } from './inbox.ts';
import type { Json } from './json.ts';
import { DEFAULT_LIMITS, type Limits } from './limits.ts';
import { parse } from './parse.ts';
import { utf8Bytes } from './slices.ts';
import type { SpecRecord } from './spec.ts';
import { MAX_CONTEXT_BYTES, MAX_STATE_BYTES, type Start, startSchema } from './start.ts';
import { NO_USAGE } from './usage.ts';

const DEFAULT_IDLE_TIMEOUT_MS = 30 * 24 * 60 * 60 * 1000;

/** Before the spec is known; the first thing that a conversation does is to replace it. */
const NO_SPEC: SpecRecord = {
  digest: '',
  spec: { blob: '', size: 0, preview: '' },
  settings: {
    agent: '',
    models: [],
    tools: [],
    limits: DEFAULT_LIMITS,
    onLimit: 'partial',
    maxParallel: 8,
    runAsDecided: false,
    approval: { expire: 'deny', quorum: 1, onMessageWhileWaiting: 'queue' },
    modelPatienceMs: 0,
    onAgentChange: 'keep',
    searchAttributes: false,
    heartbeatTimeoutMs: 60_000,
    inlineLimitBytes: 32 * 1024,
    handOver: { bytes: 3_000_000, events: 2_000 },
  },
  blobStore: '',
};

export interface Birth {
  readonly agent: string;
  readonly run: string;
  /** ISO 8601. */
  readonly at: string;
}

/** A start argument as it was judged: the state to begin with, or every problem with it. */
export function begin(
  argument: unknown,
  { agent, run, at }: Birth,
): { readonly state: ConversationState } | { readonly problems: readonly string[] } {
  const parsed = parse(startSchema, argument ?? {});
  if ('problems' in parsed) return parsed;
  const start = parsed.value;
  const problems = [
    ...tooLarge('context', start.context, MAX_CONTEXT_BYTES),
    ...tooLarge('state', start.state, MAX_STATE_BYTES),
  ];
  if (problems.length > 0) return { problems };
  const approvalTimeoutMs = durationMs(start.approvalTimeout);
  const state: ConversationState = {
    agent,
    mode: start.mode ?? 'task',
    startedAt: at,
    ...(start.by === undefined ? {} : { by: start.by }),
    ...(start.tenant === undefined ? {} : { tenant: start.tenant }),
    ...(start.tags === undefined ? {} : { tags: start.tags }),
    idleTimeoutMs: durationMs(start.idleTimeout) ?? DEFAULT_IDLE_TIMEOUT_MS,
    context: (start.context ?? null) as Json,
    capabilities: start.capabilities ?? [],
    control: start.control ?? 'policy',
    askedLimits: (start.limits ?? {}) as Partial<Limits>,
    ...(approvalTimeoutMs === undefined ? {} : { approvalTimeoutMs }),
    spec: NO_SPEC,
    limits: DEFAULT_LIMITS,
    position: { run, count: 0, digest: null },
    items: [],
    segment: null,
    turn: 0,
    step: 0,
    modelIndex: 0,
    inbox: EMPTY_INBOX,
    approvals: EMPTY_BOOK,
    rules: [],
    shared: { state: (start.state ?? null) as Json, version: 0 },
    usage: NO_USAGE,
    calls: 0,
    contextTokens: 0,
    waitingTokens: 0,
    summary: EMPTY_SUMMARY,
    closing: false,
    counters: { blob: 0, segment: 0, edit: 0, message: 0 },
  };
  return { state: withFirstMessage(state, start, at) };
}

function withFirstMessage(state: ConversationState, start: Start, at: string): ConversationState {
  if (start.message === undefined) return state;
  const id = 'start';
  const message = {
    id,
    content: start.message,
    ...(start.by === undefined ? {} : { by: start.by }),
    at,
    when: 'queue' as const,
  };
  return { ...state, inbox: enqueue(state.inbox, message) };
}

function tooLarge(name: string, value: unknown, limit: number): string[] {
  if (value === undefined) return [];
  const bytes = utf8Bytes(JSON.stringify(value));
  return bytes <= limit ? [] : [`${name}: expected at most ${limit} bytes of JSON, got ${bytes}`];
}
