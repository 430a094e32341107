import { createHash } from 'node:crypto';
import { DefaultLogger, type LogEntry } from '@temporalio/worker';
import { MockActivityEnvironment } from '@temporalio/testing';
import { ActivityCancellationDetails } from '@temporalio/common';
import { createCallTool } from '../../../src/activities/call-tool.ts';
import { createReconcile } from '../../../src/activities/reconcile.ts';
import type { ActivityEnvironment } from '../../../src/activities/environment.ts';
import type { AttemptRecord } from '../../../src/activities/ledger/attempt-ledger.ts';
import { createRunningCalls, type RunningCalls } from '../../../src/activities/running-calls.ts';
import { BlobMissing, type BlobHoldings, type BlobStore } from '../../../src/blobs/blob-store.ts';
import type { CallInput, CallOutput, ReconcileOutput } from '../../../src/core/activity-shapes.ts';
import type { Content } from '../../../src/core/content.ts';
import type { Entry } from '../../../src/core/entry.ts';
import type { StreamEvent } from '../../../src/core/event.ts';
import type { Spec, ToolSpec } from '../../../src/core/spec.ts';
import { DEFAULT_APPROVAL } from '../../../src/core/approval-settings.ts';
import { isBlobReference, type Stored } from '../../../src/core/stored.ts';
import type { Agent } from '../../../src/tools/agent.ts';
import type { Tool } from '../../../src/tools/tool.ts';

export const CONVERSATION = 'order-7';
export const KEY = `${CONVERSATION}/3.2.1.k7f`;

/** A tool as `defineTool` makes it, without a schema of its own. */
export function buildTool(
  execute: (input: never, ctx: Parameters<Tool<never>['execute']>[1]) => unknown,
  options: Partial<Tool<never>> = {},
): Tool<never> {
  return {
    kind: 'tool',
    name: 'refund_order',
    description: 'Refunds an order.',
    inputSchema: { type: 'object' },
    effect: 'once',
    needsApproval: false,
    dangerous: true,
    parallelSafe: false,
    timeoutMs: 60_000,
    capabilities: [],
    usesState: false,
    completion: 'return',
    maxResultChars: 20_000,
    parse: (input) => Promise.resolve({ value: input }),
    execute,
    ...options,
  };
}

export function specOf(tool: Tool<never>): Spec {
  const toolSpec: ToolSpec = {
    name: tool.name,
    description: tool.description,
    inputSchema: tool.inputSchema,
    effect: tool.effect,
    dangerous: tool.dangerous,
    parallelSafe: tool.parallelSafe,
    timeoutMs: tool.timeoutMs,
    retry: { attempts: 4, initialIntervalMs: 1, backoff: 2, maximumIntervalMs: 10 },
    capabilities: tool.capabilities,
    usesState: tool.usesState,
    completion: tool.completion,
    maxResultChars: tool.maxResultChars,
    reconciles: tool.reconcile !== undefined,
    needsApproval: false,
    approval: DEFAULT_APPROVAL,
  };
  return {
    agent: 'support',
    models: [{ id: 'scripted', provider: 'scripted' }],
    instructions: 'Help.',
    tools: [toolSpec],
    hostedTools: [],
    context: { tenant: 'acme' },
    capabilities: [],
    control: 'policy',
    modelOptions: {},
    maxOutputTokens: 1_000,
  };
}

/** Keeps blobs in memory; `broken` makes every put fail, `slowFor` lets the first ones fail. */
export class MemoryBlobs implements BlobStore {
  readonly kind = 'memory';
  readonly blobs = new Map<string, Uint8Array>();
  failures = 0;
  #failNext: number;

  constructor(failNext = 0) {
    this.#failNext = failNext;
  }

  id(): Promise<string> {
    return Promise.resolve('memory-store');
  }

  async put(conversationId: string, bytes: Uint8Array): Promise<string> {
    if (this.#failNext > 0) {
      this.#failNext -= 1;
      this.failures += 1;
      throw new Error('disk full');
    }
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    this.blobs.set(`${conversationId}/${sha256}`, bytes);
    return Promise.resolve(sha256);
  }

  get(conversationId: string, sha256: string): Promise<Uint8Array> {
    const bytes = this.blobs.get(`${conversationId}/${sha256}`);
    if (bytes === undefined) throw new BlobMissing(conversationId, sha256, 'absent');
    return Promise.resolve(bytes);
  }

  has(conversationId: string, sha256: string): Promise<boolean> {
    return Promise.resolve(this.blobs.has(`${conversationId}/${sha256}`));
  }

  setManifest(): Promise<void> {
    return Promise.resolve();
  }

  manifest(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  deleteConversation(): Promise<number> {
    return Promise.resolve(0);
  }

  holdings(): Promise<BlobHoldings> {
    return Promise.resolve({ blobs: 0, bytes: 0 });
  }

  async *conversations(): AsyncIterable<string> {}

  close(): Promise<void> {
    return Promise.resolve();
  }
}

export interface Remembered {
  readonly activityId: string;
  readonly entry: Entry;
  readonly digest: string;
}

/** One worker's environment with everything in memory, and what was written there. */
export class Harness {
  readonly blobs: MemoryBlobs;
  readonly events: StreamEvent[] = [];
  readonly remembered: Remembered[] = [];
  readonly ledger: string[] = [];
  readonly logs: LogEntry[] = [];
  readonly running: RunningCalls;
  readonly environment: ActivityEnvironment;
  readonly tool: Tool<never>;
  heartbeats: unknown[] = [];

  constructor(
    tool: Tool<never>,
    options: {
      readonly spec?: Spec;
      readonly blobs?: MemoryBlobs;
      readonly environment?: Partial<ActivityEnvironment>;
      readonly running?: RunningCalls;
    } = {},
  ) {
    this.tool = tool;
    this.blobs = options.blobs ?? new MemoryBlobs();
    this.running = options.running ?? createRunningCalls();
    const spec = options.spec ?? specOf(tool);
    const agent = { kind: 'agent', name: 'support', tools: [tool] } as unknown as Agent<never>;
    this.environment = {
      agents: new Map([['support', agent]]),
      deps: { ledger: 'a dependency' },
      blobs: this.blobs,
      events: {
        kind: 'memory',
        publish: (_conversation, events) => void this.events.push(...events),
        flush: () => Promise.resolve(),
        async *subscribe() {},
        deleteConversation: () => Promise.resolve(),
        failures: 0,
        close: () => Promise.resolve(),
      },
      ledger: {
        begin: (record: AttemptRecord) => {
          this.ledger.push(`begin ${record.activityId}`);
          return {
            addProcessGroup: (leader) => void this.ledger.push(`group ${leader}`),
            removeProcessGroup: (leader) => void this.ledger.push(`no group ${leader}`),
            returned: () => void this.ledger.push(`returned ${record.activityId}`),
            end: () => void this.ledger.push(`end ${record.activityId}`),
          };
        },
        close: () => Promise.resolve(),
      },
      transcripts: {
        read: () => Promise.reject(new Error('not read by tools')),
        resolveBlobs: () => Promise.reject(new Error('not read by tools')),
        record: () => Promise.reject(new Error('not read by tools')),
        remember: (_location, activityId, entry, digest) =>
          void this.remembered.push({ activityId, entry, digest }),
        keep: () => undefined,
        rememberSpec: () => undefined,
        spec: () => Promise.resolve(spec),
        statistics: { hits: 0, gaps: 0, historyPages: 0, bytes: 0 },
      },
      deployPatienceMs: 60_000,
      inlineLimitBytes: 32 * 1024,
      keepTranscripts: false,
      heartbeatTimeoutMs: 60_000,
      cancelGraceMs: 100,
      searchAttributes: true,
      modelTaskQueues: {},
      handOver: { bytes: 3_000_000, events: 2_000 },
      identity: 'worker-1',
      ...options.environment,
    };
  }

  input(overrides: Partial<CallInput> = {}): CallInput {
    return {
      spec: 'spec-digest',
      key: KEY,
      callId: 'call_1',
      tool: this.tool.name,
      input: { order: 7 },
      attempt: 1,
      ...overrides,
    };
  }

  /** An activity that Temporal has just started. */
  activity(info: Record<string, unknown> = {}): MockActivityEnvironment {
    const activity = new MockActivityEnvironment(
      {
        activityType: this.tool.name,
        activityId: '3.2.1',
        workflowExecution: { workflowId: CONVERSATION, runId: 'run-1' },
        ...info,
      },
      { logger: new DefaultLogger('TRACE', (entry) => void this.logs.push(entry)) },
    );
    activity.on('heartbeat', (details: unknown) => void this.heartbeats.push(details));
    return activity;
  }

  call(
    overrides: Partial<CallInput> = {},
    activity: MockActivityEnvironment = this.activity(),
  ): Promise<CallOutput> {
    const callTool = createCallTool(this.environment, { runningCalls: this.running });
    return activity.run(callTool, this.input(overrides));
  }

  reconcile(activity: MockActivityEnvironment = this.activity()): Promise<ReconcileOutput> {
    const reconcile = createReconcile(this.environment, { runningCalls: this.running });
    return activity.run(reconcile, this.input());
  }

  /** The text of a recorded content, from the blob store where it is kept there. */
  async text(stored: Stored<Content> | undefined): Promise<string> {
    const content = await this.content(stored);
    return typeof content === 'string' ? content : JSON.stringify(content);
  }

  async content(stored: Stored<Content> | undefined): Promise<Content | undefined> {
    if (!isBlobReference(stored)) return stored;
    const bytes = await this.blobs.get(CONVERSATION, stored.blob);
    return JSON.parse(new TextDecoder().decode(bytes)) as Content;
  }
}

/** Runs a tool once in a worker of its own. */
export async function outputOf(
  execute: Parameters<typeof buildTool>[0],
  options: Partial<Tool<never>> = {},
): Promise<CallOutput & { readonly text: string }> {
  const harness = new Harness(buildTool(execute, options));
  const output = await harness.call();
  return { ...output, text: await harness.text(output.shownAs ?? output.content) };
}

export const STOPPED = new ActivityCancellationDetails({ cancelRequested: true });
export const SHUTDOWN = new ActivityCancellationDetails({ workerShutdown: true });
export const PAUSED = new ActivityCancellationDetails({ paused: true });
export const TIMED_OUT = new ActivityCancellationDetails({ timedOut: true, notFound: true });

/** Resolves when the signal aborts, with the reason. */
export function aborted(signal: AbortSignal): Promise<unknown> {
  if (signal.aborted) return Promise.resolve(signal.reason);
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(signal.reason), { once: true });
  });
}

/** Rejects when the signal aborts, as libraries do. */
export async function untilAborted(signal: AbortSignal): Promise<never> {
  throw await aborted(signal);
}

export function deferred<T = void>(): {
  readonly promise: Promise<T>;
  readonly resolve: (value: T) => void;
} {
  let resolve: (value: T) => void = () => undefined;
  const promise = new Promise<T>((fulfil) => {
    resolve = fulfil;
  });
  return { promise, resolve };
}
