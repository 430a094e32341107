import type { BlobStore } from '../blobs/blob-store.ts';
import { createBlobStore } from '../blobs/create-blob-store.ts';
import type { Config } from '../config.ts';
import { durationMs } from '../core/duration.ts';
import type { ModelQueue, WorkerSettings } from '../define-config.ts';
import { createEventSink } from '../streams/create-event-sink.ts';
import type { EventSink } from '../streams/event-sink.ts';
import { DefinitionError } from '../tools/definition-error.ts';
import { join, resolve } from 'node:path';
import { memoryDefaults, usableMemory } from './memory-defaults.ts';

/** What a worker runs on, every default applied. Times in milliseconds, sizes in bytes. */
export interface ResolvedSettings {
  readonly blobs: BlobStore;
  readonly events: EventSink;
  readonly taskQueue: string;
  readonly dataDirectory: string;
  readonly deployPatienceMs: number;
  readonly inlineLimitBytes: number;
  readonly keepTranscripts: boolean;
  readonly heartbeatTimeoutMs: number;
  readonly shutdownForceTimeMs: number;
  readonly transcriptCacheBytes: number;
  readonly maxCachedWorkflows: number;
  readonly maxConcurrentActivities: number;
  readonly maxPerSecond: number | undefined;
  /** By model id. */
  readonly modelQueues: { readonly [model: string]: ModelQueue };
}

/**
 * Options win over the environment, the environment over our defaults.
 * @throws {DefinitionError} when a model's task queue is the worker's own
 */
export async function resolveSettings(
  options: WorkerSettings,
  config: Config,
): Promise<ResolvedSettings> {
  const { worker = {}, dataDir } = options;
  const taskQueue = options.taskQueue ?? config.taskQueue;
  refuseOwnQueue(options.models ?? {}, taskQueue);
  const dataDirectory = dataDir === undefined ? config.dataDirectory : resolve(dataDir);
  const defaults = memoryDefaults(usableMemory());
  const milliseconds = (value: unknown, otherwise: number) => durationMs(value) ?? otherwise;
  return {
    blobs:
      (await made(options.blobs)) ?? createBlobStore(within(config.blobs, dataDirectory, 'blobs')),
    events:
      (await made(options.events)) ??
      createEventSink(within(config.events, dataDirectory, 'events')),
    taskQueue,
    dataDirectory,
    deployPatienceMs: milliseconds(options.deployPatience, config.deployPatienceMs),
    keepTranscripts: options.keepTranscripts ?? false,
    inlineLimitBytes: options.inlineLimit ?? config.inlineLimitBytes,
    heartbeatTimeoutMs: milliseconds(options.heartbeatTimeout, config.heartbeatTimeoutMs),
    shutdownForceTimeMs: milliseconds(worker.shutdownForceTime, config.shutdownForceTimeMs),
    transcriptCacheBytes:
      worker.transcriptCacheBytes ?? config.transcriptCacheBytes ?? defaults.transcriptCacheBytes,
    maxCachedWorkflows:
      worker.maxCachedWorkflows ?? config.maxCachedWorkflows ?? defaults.maxCachedWorkflows,
    maxConcurrentActivities:
      worker.maxConcurrentActivities ??
      config.maxConcurrentActivities ??
      defaults.maxConcurrentActivities,
    maxPerSecond: worker.maxPerSecond,
    modelQueues: options.models ?? {},
  };
}

function refuseOwnQueue(models: ResolvedSettings['modelQueues'], own: string): void {
  const problems = Object.entries(models)
    .filter(([, { taskQueue }]) => taskQueue === own)
    .map(
      ([model]) =>
        `models[${JSON.stringify(model)}].taskQueue: "${own}" is the worker's own queue, where the limit would hold back everything: give the model another`,
    );
  if (problems.length > 0) throw new DefinitionError(problems);
}

async function made<T extends object>(
  given: T | (() => T | Promise<T>) | undefined,
): Promise<T | undefined> {
  return typeof given === 'function' ? await (given as () => T | Promise<T>)() : given;
}

/** Files belong to the data directory that holds, also when an option moved it. */
function within<Settings extends { readonly kind: string }>(
  settings: Settings,
  dataDirectory: string,
  folder: string,
): Settings {
  return settings.kind === 'file'
    ? { ...settings, directory: join(dataDirectory, folder) }
    : settings;
}
