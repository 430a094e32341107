import type { BlobStore } from './blobs/blob-store.ts';
import { durationMs, type Duration } from './core/duration.ts';
import { isJsonObject } from './core/json.ts';
import { MAX_INLINE_LIMIT_BYTES } from './core/stored.ts';
import type { DepsOption } from './deps.ts';
import type { EventSink } from './streams/event-sink.ts';
import type { Agent } from './tools/agent.ts';
import { DefinitionError } from './tools/definition-error.ts';
import type { DepsOfAgents } from './tools/deps-of.ts';
import {
  expects,
  flag,
  listOf,
  optional,
  optionProblems,
  options,
  positiveCount,
  positiveDuration,
  positiveNumber,
  shown,
  text,
  type OptionTable,
} from './tools/option-checks.ts';
import { isAgent, registerAgents } from './tools/register-agents.ts';

/** What a worker runs on beside agents and their dependencies. What is left out, the environment says. */
export interface WorkerSettings {
  /** Where large content is kept. Default: `PERDURE_BLOBS`. */
  readonly blobs?: BlobStore | (() => BlobStore | Promise<BlobStore>);
  /** Where live events go. Default: `PERDURE_EVENTS`. */
  readonly events?: EventSink | (() => EventSink | Promise<EventSink>);
  readonly taskQueue?: string;
  /** Holds the embedded server's database, blobs, events and attempt ledgers. Default `.perdure`. */
  readonly dataDir?: string;
  /** How long an agent or tool that is not known here may be known elsewhere. Default 60 s. */
  readonly deployPatience?: Duration;
  /** Keep the transcript of a closed conversation past the server's retention. Default false. */
  readonly keepTranscripts?: boolean;
  /** Content above this many bytes is kept in the blob store, not in history. Default 32,768, at most 65,536. */
  readonly inlineLimit?: number;
  /** Without a sign of life for this long an attempt counts as lost. Default 60 s. */
  readonly heartbeatTimeout?: Duration;
  readonly worker?: WorkerTuning;
  /** By model id: a task queue of its own, and the limits that hold on it. */
  readonly models?: { readonly [model: string]: ModelQueue };
}

/** The first three have defaults by the memory that the process may use; docs/workers.md has the figures. */
export interface WorkerTuning {
  /** Conversations that go on without a replay. */
  readonly maxCachedWorkflows?: number;
  /** Completions and calls at once. */
  readonly maxConcurrentActivities?: number;
  /** Memory for transcripts, specs and blobs that were shown. */
  readonly transcriptCacheBytes?: number;
  /** Completions and calls that begin per second, over all workers of the task queue. Default: no limit. */
  readonly maxPerSecond?: number;
  /** A worker that was told to stop ends after this long, whatever still runs. Default 30 s. */
  readonly shutdownForceTime?: Duration;
}

export interface ModelQueue {
  /** Not the worker's own. Models that share one share its limits. */
  readonly taskQueue: string;
  /** Completions that begin per second, over all workers of the queue. Default: no limit. */
  readonly maxPerSecond?: number;
  /** Completions at once in each worker process. Default: the worker's `maxConcurrentActivities`. */
  readonly maxConcurrent?: number;
}

/** Agents, the dependencies that all their tools need, and settings. */
export type ConfigOptions<Agents extends readonly Agent<never>[]> = WorkerSettings & {
  readonly agents: Agents;
} & DepsOption<DepsOfAgents<Agents>>;

/** A checked configuration. That `deps` fits the agents was checked where it was made. */
export interface PerdureConfig extends WorkerSettings {
  readonly agents: readonly Agent<never>[];
  readonly deps?: unknown;
}

const bytes = expects(
  'a number of bytes',
  (value) => typeof value === 'number' && Number.isSafeInteger(value) && value >= 0,
);
const inlineBytes = expects(
  `a number of bytes, at most ${MAX_INLINE_LIMIT_BYTES}`,
  (value) => bytes(value).length === 0 && Number(value) <= MAX_INLINE_LIMIT_BYTES,
);
const madeOrMaker = expects(
  'an object, or a function that makes it',
  (value) => typeof value === 'function' || (typeof value === 'object' && value !== null),
);
const patience = expects(
  'a duration, in milliseconds or as "60s"',
  (value) => durationMs(value) !== undefined,
);

const OPTIONS: OptionTable = {
  agents: listOf(expects('an agent that defineAgent made', isAgent)),
  deps: () => [],
  blobs: optional(madeOrMaker),
  events: optional(madeOrMaker),
  taskQueue: optional(text),
  dataDir: optional(text),
  deployPatience: optional(patience),
  keepTranscripts: optional(flag),
  inlineLimit: optional(inlineBytes),
  heartbeatTimeout: optional(positiveDuration),
  worker: optional(
    options({
      maxCachedWorkflows: optional(positiveCount),
      maxConcurrentActivities: optional(positiveCount),
      transcriptCacheBytes: optional(bytes),
      maxPerSecond: optional(positiveNumber),
      shutdownForceTime: optional(positiveDuration),
    }),
  ),
  models: optional(modelQueues),
};

/**
 * The default export of `perdure.config.ts`. `deps` must satisfy every tool of every agent.
 * @throws {DefinitionError} that lists every problem
 */
export function defineConfig<const Agents extends readonly Agent<never>[]>(
  config: ConfigOptions<Agents>,
): PerdureConfig {
  return checkConfig(config);
}

/**
 * Checks what a configuration file exports, or what a program passes that no compiler has seen.
 * @throws {DefinitionError} that lists every problem
 */
export function checkConfig(config: unknown): PerdureConfig {
  if (typeof config !== 'object' || config === null) {
    throw new DefinitionError([`configuration: expected an object, got ${shown(config)}`]);
  }
  const problems = optionProblems(OPTIONS, { ...config });
  if (problems.length > 0) throw new DefinitionError(problems);
  const checked = config as PerdureConfig;
  registerAgents(checked.agents);
  return checked;
}

const modelQueue = options({
  taskQueue: text,
  maxPerSecond: optional(positiveNumber),
  maxConcurrent: optional(positiveCount),
});

function modelQueues(value: unknown): readonly string[] {
  if (!isJsonObject(value)) return [`expected an object by model id, got ${shown(value)}`];
  const problems = Object.entries(value).flatMap(([model, settings]) =>
    modelQueue(settings).map((problem) => `[${JSON.stringify(model)}]${problem}`),
  );
  return problems.length > 0 ? problems : unequalLimits(value as unknown as ModelQueues);
}

type ModelQueues = NonNullable<WorkerSettings['models']>;

/** Limits are those of a queue: of two for one queue only one would hold. */
function unequalLimits(queues: ModelQueues): readonly string[] {
  const first = new Map<string, readonly [model: string, limits: string]>();
  return Object.entries(queues).flatMap(([model, { taskQueue, maxPerSecond, maxConcurrent }]) => {
    const limits = JSON.stringify([maxPerSecond, maxConcurrent]);
    const [other, others] = first.get(taskQueue) ?? [model, limits];
    first.set(taskQueue, [other, others]);
    if (limits === others) return [];
    return `[${JSON.stringify(model)}]: shares the task queue "${taskQueue}" with "${other}" and has other limits: give both the same, or each a queue of its own`;
  });
}
