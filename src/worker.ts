import { hostname } from 'node:os';
import { join } from 'node:path';
import { Client } from '@temporalio/client';
import type { PayloadCodec } from '@temporalio/common';
import {
  NativeConnection,
  type NativeConnectionOptions,
  Runtime,
  Worker,
  type WorkerOptions,
  type WorkflowBundleOption,
} from '@temporalio/worker';
import { createActivities } from './activities/create-activities.ts';
import type { ActivityEnvironment } from './activities/environment.ts';
import { openAttemptLedger } from './activities/ledger/open-attempt-ledger.ts';
import { startSweeping } from './activities/ledger/start-sweeping.ts';
import { sweepLostAttempts } from './activities/ledger/sweep-lost-attempts.ts';
import { createRunningCalls } from './activities/running-calls.ts';
import { logStrayRejections } from './activities/stray-rejections.ts';
import { createTranscriptReader } from './activities/transcript/create-transcript-reader.ts';
import type { TranscriptReader } from './activities/transcript/transcript-reader.ts';
import { readConfig } from './config.ts';
import { messageOf } from './core/describe-error.ts';
import { type ConfigOptions, checkConfig, type PerdureConfig } from './define-config.ts';
import { openDeps } from './deps.ts';
import { guardedSink } from './streams/guarded-sink.ts';
import type { Agent } from './tools/agent.ts';
import { registerAgents } from './tools/register-agents.ts';
import { modelWorkers } from './worker/model-workers.ts';
import type { PerdureWorker } from './worker/perdure-worker.ts';
import { runTogether, shutDownAll } from './worker/run-together.ts';
import { sayUnpriced } from './worker/say-unpriced.ts';
import { hasSearchAttributes } from './worker/search-attributes.ts';
import { workflowBundle } from './worker/workflow-bundle.ts';
import { resolveSettings } from './worker/worker-settings.ts';

export type { PerdureWorker } from './worker/perdure-worker.ts';

/** Where the worker finds its server; what is left out, the Temporal profile and `TEMPORAL_*` say. */
export interface WorkerConnection {
  /** `host:port`. */
  readonly address?: string | undefined;
  readonly namespace?: string | undefined;
  /** A connection that the caller owns and closes. */
  readonly connection?: NativeConnection | undefined;
  /** TLS, API key, metadata: on top of the profile. */
  readonly connectionOptions?: NativeConnectionOptions | undefined;
  /** Payload codecs (encryption); the payload converter is ours. */
  readonly payloadCodecs?: readonly PayloadCodec[] | undefined;
  /** Default `<pid>@<host>`. */
  readonly identity?: string | undefined;
}

/** An idle conversation of a dead worker answers after this long. */
const STICKY_TIMEOUT = '2s';
/** A stop reaches a running tool within about this long. */
const HEARTBEAT_THROTTLE = '1s';
/**
 * Node ends the process when the sandbox's own limit (5 s of wall-clock time) meets a busy host. The
 * SDK takes this option and does not declare it.
 */
const SANDBOX_LIMIT = { isolateExecutionTimeout: '60s' };
/** How long a handler that was told to stop is waited for. */
const CANCEL_GRACE_MS = 5_000;
/** Budget of a run's history before it continues as new: half of what makes the server suggest it. */
const HAND_OVER = { bytes: 3_000_000, events: 2_000 };

/**
 * Makes a worker for these agents. `deps` must satisfy every tool of every agent.
 * @throws {DefinitionError} for agents or settings that are not usable, all problems at once
 * @throws {ConfigError} for an environment that is not
 * @throws {Error} when the server or the blob store cannot be reached
 */
export async function createWorker<const Agents extends readonly Agent<never>[]>(
  options: ConfigOptions<Agents> & WorkerConnection,
): Promise<PerdureWorker> {
  const { address, namespace, connection, connectionOptions, payloadCodecs, identity, ...config } =
    options;
  return startWorker(checkConfig(config), {
    address,
    namespace,
    connection,
    connectionOptions,
    payloadCodecs,
    identity,
  });
}

/** What only our own tests and tools set. */
export interface WorkerInternals {
  /** Budget of a run's history before it continues as new. */
  readonly handOver?: { readonly bytes: number; readonly events: number };
  readonly workflowBundle?: WorkflowBundleOption;
  readonly cancelGraceMs?: number;
  readonly around?: ActivityEnvironment['around'];
  /** Off: every activity goes through the task queue, to whichever worker asks first. */
  readonly eagerStarts?: boolean;
  /** Takes the counts of the worker's transcripts. */
  readonly onStatistics?: (statistics: TranscriptReader['statistics']) => void;
}

/** Makes a worker from a configuration that was checked before. */
export async function startWorker(
  config: PerdureConfig,
  where: WorkerConnection = {},
  internals: WorkerInternals = {},
): Promise<PerdureWorker> {
  const environmentConfig = readConfig();
  const settings = await resolveSettings(config, environmentConfig);
  const agents = registerAgents(config.agents);
  const { temporal } = environmentConfig;
  const namespace = where.namespace ?? temporal.namespace ?? 'default';
  const identity = where.identity ?? `${process.pid}@${hostname()}`;
  await settings.blobs.id();
  const connection =
    where.connection ??
    (await NativeConnection.connect({
      ...temporal.connectionOptions,
      ...where.connectionOptions,
      ...(where.address === undefined ? {} : { address: where.address }),
    } as NativeConnectionOptions));
  const log = Runtime.instance().logger;
  sayUnpriced(agents.values(), log);
  const dataConverter = { payloadCodecs: [...(where.payloadCodecs ?? [])] };
  const client = new Client({ connection, namespace, identity, dataConverter });
  const ledgerDirectory = join(settings.dataDirectory, 'attempts');
  const ledger = await openAttemptLedger({ directory: ledgerDirectory, identity, log });
  const sweep = { ownId: ledger.id, directory: ledgerDirectory, client, log };
  await sweepLostAttempts(sweep);
  const { deps, dispose } = await openDeps(config.deps);
  const forgetStrayRejections = logStrayRejections(log);
  const runningCalls = createRunningCalls({ onBlocked: (words) => log.warn(words) });
  const transcripts = createTranscriptReader({
    history: connection,
    payloadCodecs: client.options.loadedDataConverter.payloadCodecs,
    blobs: settings.blobs,
    maxBytes: settings.transcriptCacheBytes,
    log,
  });
  internals.onStatistics?.(transcripts.statistics);
  const environment: ActivityEnvironment = {
    agents,
    deps,
    blobs: settings.blobs,
    events: guardedSink(settings.events, (error) => {
      log.warn('The event sink throws; its events are lost, the conversations go on.', {
        error: messageOf(error),
      });
    }),
    ledger,
    transcripts,
    deployPatienceMs: settings.deployPatienceMs,
    inlineLimitBytes: settings.inlineLimitBytes,
    keepTranscripts: settings.keepTranscripts,
    heartbeatTimeoutMs: settings.heartbeatTimeoutMs,
    cancelGraceMs: internals.cancelGraceMs ?? CANCEL_GRACE_MS,
    searchAttributes: await hasSearchAttributes(connection, namespace),
    modelTaskQueues: Object.fromEntries(
      Object.entries(settings.modelQueues).map(([model, { taskQueue }]) => [model, taskQueue]),
    ),
    handOver: internals.handOver ?? HAND_OVER,
    identity,
    ...(internals.around === undefined ? {} : { around: internals.around }),
  };
  const common: WorkerOptions = {
    connection,
    namespace,
    identity,
    taskQueue: settings.taskQueue,
    dataConverter,
    activities: createActivities(environment, { runningCalls }),
    maxHeartbeatThrottleInterval: HEARTBEAT_THROTTLE,
    defaultHeartbeatThrottleInterval: HEARTBEAT_THROTTLE,
    maxConcurrentActivityTaskExecutions: settings.maxConcurrentActivities,
    // Once calls are waited for by this long; the others were told to stop before.
    shutdownGraceTime: settings.shutdownForceTimeMs,
    shutdownForceTime: settings.shutdownForceTimeMs + CANCEL_GRACE_MS,
  };
  const workers = [
    await Worker.create({
      ...common,
      workflowBundle: internals.workflowBundle ?? (await workflowBundle()),
      stickyQueueScheduleToStartTimeout: STICKY_TIMEOUT,
      ...SANDBOX_LIMIT,
      // A refused update goes back whole: one of more than 2 MiB would fail every task of its
      // conversation from then on. What leaves our workflows is measured by their payload converter.
      disablePayloadErrorLimit: true,
      maxCachedWorkflows: settings.maxCachedWorkflows,
      ...(settings.maxPerSecond === undefined
        ? {}
        : { maxTaskQueueActivitiesPerSecond: settings.maxPerSecond }),
      // The server does not count what starts eagerly against the queue's rate.
      ...(internals.eagerStarts === false || settings.maxPerSecond !== undefined
        ? { maxEagerActivityReservationsPerWorkflowTask: 0 }
        : {}),
    }),
    ...(await modelWorkers(common, settings.modelQueues)),
  ];
  const sweeping = startSweeping(sweep);
  const close = async () => {
    await sweeping.stop();
    forgetStrayRejections();
    await settings.events.flush();
    await ledger.close();
    await dispose();
    await settings.events.close();
    await settings.blobs.close();
    if (where.connection === undefined) await connection.close();
  };
  return {
    agents: [...agents.keys()],
    taskQueue: settings.taskQueue,
    namespace,
    async run() {
      // The SDK ends the worker on these; tools that may run elsewhere are told to stop at once.
      const onSignal = () => runningCalls.shutDown();
      const { shutdownSignals } = Runtime.instance().options;
      for (const signal of shutdownSignals) process.on(signal, onSignal);
      try {
        await runTogether(workers);
      } finally {
        for (const signal of shutdownSignals) process.off(signal, onSignal);
        await close();
      }
    },
    shutdown() {
      runningCalls.shutDown();
      shutDownAll(workers);
    },
  };
}
