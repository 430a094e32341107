import { access, constants } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { loadClientConnectConfig, type ClientConnectConfig } from '@temporalio/envconfig';
import { z } from 'zod';
import type { BlobStoreSettings } from './blobs/create-blob-store.ts';
import { messageOf } from './core/describe-error.ts';
import { durationMs } from './core/duration.ts';
import { DEFAULT_TASK_QUEUE } from './core/names.ts';
import { INLINE_LIMIT_BYTES, MAX_INLINE_LIMIT_BYTES } from './core/stored.ts';
import type { EventSinkSettings } from './streams/create-event-sink.ts';
import { nearestName } from './tools/nearest-name.ts';

/** What the environment says, checked, with defaults. Times in milliseconds, sizes in bytes. */
export interface Config {
  /** Address, namespace, TLS and API key of the Temporal profile and the `TEMPORAL_*` variables. */
  readonly temporal: ClientConnectConfig;
  /** `PERDURE_TASK_QUEUE`, default `perdure`. */
  readonly taskQueue: string;
  /** `PERDURE_DATA_DIR`, default `.perdure`; absolute. */
  readonly dataDirectory: string;
  /** `PERDURE_LOG_LEVEL`, default `info`. */
  readonly logLevel: 'debug' | 'info' | 'warn' | 'error';
  /** `PERDURE_BLOBS`, default `file`, in the data directory. */
  readonly blobs: BlobStoreSettings;
  /** `PERDURE_EVENTS`, default `file`, in the data directory. */
  readonly events: EventSinkSettings;
  /** `PERDURE_HEARTBEAT_TIMEOUT`, default 60 s. */
  readonly heartbeatTimeoutMs: number;
  /** `PERDURE_DEPLOY_PATIENCE`, default 60 s: how long an agent or tool that is not known here may be known elsewhere. */
  readonly deployPatienceMs: number;
  /** `PERDURE_SHUTDOWN_FORCE_TIME`, default 30 s: after it a worker that was told to stop ends. */
  readonly shutdownForceTimeMs: number;
  /** `PERDURE_INLINE_LIMIT`, default 32 KiB, at most 64 KiB: larger content goes to the blob store. */
  readonly inlineLimitBytes: number;
  /** `PERDURE_TRANSCRIPT_CACHE`; this and the next two: default by the memory that there is. */
  readonly transcriptCacheBytes: number | undefined;
  /** `PERDURE_MAX_CACHED_WORKFLOWS`. */
  readonly maxCachedWorkflows: number | undefined;
  /** `PERDURE_MAX_CONCURRENT_ACTIVITIES`. */
  readonly maxConcurrentActivities: number | undefined;
}

type Environment = { readonly [name: string]: string | undefined };

const UNITS: { readonly [unit: string]: number } = { '': 1, B: 1, KiB: 1024, MiB: 1024 ** 2 };

const text = z.string().min(1, 'expected text, got an empty value');
const duration = z.string().transform((value, context) => {
  const milliseconds = durationMs(value);
  if (milliseconds !== undefined) return milliseconds;
  context.addIssue(`expected a duration such as "90s", "5m" or milliseconds, got "${value}"`);
  return z.NEVER;
});
const bytes = z.string().transform((value, context) => {
  const [, digits, unit = ''] = /^(\d+) ?(B|KiB|MiB|)$/.exec(value) ?? [];
  const factor = UNITS[unit];
  if (digits !== undefined && factor !== undefined) return Number(digits) * factor;
  context.addIssue(`expected a size such as "32KiB", "64MiB" or bytes, got "${value}"`);
  return z.NEVER;
});
const count = z.string().transform((value, context) => {
  if (/^[1-9]\d{0,8}$/.test(value)) return Number(value);
  context.addIssue(`expected a whole number above 0, got "${value}"`);
  return z.NEVER;
});
const oneOf = <const Choices extends readonly [string, ...string[]]>(choices: Choices) =>
  z.enum(choices, {
    error: ({ input }) => `expected one of ${choices.join(', ')}, got ${JSON.stringify(input)}`,
  });

const SETTINGS = {
  PERDURE_TASK_QUEUE: text.default(DEFAULT_TASK_QUEUE),
  PERDURE_DATA_DIR: text.default('.perdure'),
  PERDURE_LOG_LEVEL: oneOf(['debug', 'info', 'warn', 'error']).default('info'),
  PERDURE_BLOBS: oneOf(['file', 'postgres', 's3']).default('file'),
  PERDURE_BLOBS_POSTGRES_URL: text.optional(),
  PERDURE_BLOBS_S3_BUCKET: text.optional(),
  PERDURE_BLOBS_S3_PREFIX: text.optional(),
  PERDURE_BLOBS_S3_ENDPOINT: text.optional(),
  PERDURE_BLOBS_S3_REGION: text.optional(),
  PERDURE_EVENTS: oneOf(['file', 'redis', 'none']).default('file'),
  PERDURE_EVENTS_REDIS_URL: text.optional(),
  PERDURE_HEARTBEAT_TIMEOUT: duration.default(60_000),
  PERDURE_DEPLOY_PATIENCE: duration.default(60_000),
  PERDURE_SHUTDOWN_FORCE_TIME: duration.default(30_000),
  PERDURE_INLINE_LIMIT: bytes
    .refine((limit) => limit <= MAX_INLINE_LIMIT_BYTES, 'expected at most 64KiB')
    .default(INLINE_LIMIT_BYTES),
  PERDURE_TRANSCRIPT_CACHE: bytes.optional(),
  PERDURE_MAX_CACHED_WORKFLOWS: count.optional(),
  PERDURE_MAX_CONCURRENT_ACTIVITIES: count.optional(),
} as const;

/** Which settings each kind of store cannot do without. */
const REQUIRED_BY = {
  PERDURE_BLOBS: { postgres: 'PERDURE_BLOBS_POSTGRES_URL', s3: 'PERDURE_BLOBS_S3_BUCKET' },
  PERDURE_EVENTS: { redis: 'PERDURE_EVENTS_REDIS_URL' },
} as const;

/**
 * Reads and checks the configuration.
 * @throws {ConfigError} that lists every problem, unknown `PERDURE_*` names among them.
 */
export function readConfig(environment: Environment = process.env): Config {
  const problems = [...unknownSettings(environment), ...missingSettings(environment)];
  const read = z.object(SETTINGS).safeParse(environment);
  const issues = read.success ? [] : read.error.issues;
  problems.push(...issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`));
  const temporal = readTemporal(environment, problems);
  if (!read.success || temporal === undefined || problems.length > 0) {
    throw new ConfigError(problems);
  }
  const settings = read.data;
  const dataDirectory = resolve(settings.PERDURE_DATA_DIR);
  return {
    temporal,
    taskQueue: settings.PERDURE_TASK_QUEUE,
    dataDirectory,
    logLevel: settings.PERDURE_LOG_LEVEL,
    blobs: blobsOf(settings, dataDirectory),
    events: eventsOf(settings, dataDirectory),
    heartbeatTimeoutMs: settings.PERDURE_HEARTBEAT_TIMEOUT,
    deployPatienceMs: settings.PERDURE_DEPLOY_PATIENCE,
    shutdownForceTimeMs: settings.PERDURE_SHUTDOWN_FORCE_TIME,
    inlineLimitBytes: settings.PERDURE_INLINE_LIMIT,
    transcriptCacheBytes: settings.PERDURE_TRANSCRIPT_CACHE,
    maxCachedWorkflows: settings.PERDURE_MAX_CACHED_WORKFLOWS,
    maxConcurrentActivities: settings.PERDURE_MAX_CONCURRENT_ACTIVITIES,
  };
}

/** The environment is not as expected: every problem, one a line. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(['the configuration in the environment is not valid:', ...problems].join('\n  '));
    this.problems = problems;
  }
}

/** Where this user's fetched programs are kept, between projects. */
export function userCacheDirectory(): string {
  const base =
    process.env['XDG_CACHE_HOME'] ||
    (process.platform === 'darwin'
      ? join(homedir(), 'Library', 'Caches')
      : join(homedir(), '.cache'));
  return join(base, 'perdure');
}

/**
 * The absolute path of a program on PATH.
 * @throws {Error} when no folder of PATH has it.
 */
export async function executableOnPath(name: string): Promise<string> {
  const file = process.platform === 'win32' ? `${name}.exe` : name;
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  for (const candidate of folders.map((folder) => join(folder, file))) {
    const isExecutable = await access(candidate, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isExecutable) return candidate;
  }
  throw new Error('not there');
}

function unknownSettings(environment: Environment): readonly string[] {
  const known = Object.keys(SETTINGS);
  return Object.keys(environment)
    .filter((name) => name.startsWith('PERDURE_') && !known.includes(name))
    .map((name) => {
      const nearest = nearestName(name, known);
      return `${name}: there is no such setting${nearest ? `, did you mean ${nearest}?` : ` (there are ${known.join(', ')})`}`;
    });
}

function missingSettings(environment: Environment): readonly string[] {
  return Object.entries(REQUIRED_BY).flatMap(([name, requiredBy]) =>
    Object.entries(requiredBy)
      .filter(([kind, required]) => environment[name] === kind && !environment[required])
      .map(([kind, required]) => `${required}: is needed because ${name} is "${kind}"`),
  );
}

function readTemporal(environment: Environment, problems: string[]) {
  try {
    const present = Object.entries(environment).filter(([, value]) => value !== undefined);
    return loadClientConnectConfig({
      overrideEnvVars: Object.fromEntries(present) as Record<string, string>,
    });
  } catch (error) {
    problems.push(`Temporal profile: ${messageOf(error)}`);
    return undefined;
  }
}

type Settings = z.infer<z.ZodObject<typeof SETTINGS>>;

function blobsOf(settings: Settings, dataDirectory: string): BlobStoreSettings {
  switch (settings.PERDURE_BLOBS) {
    case 'postgres':
      return { kind: 'postgres', connectionString: settings.PERDURE_BLOBS_POSTGRES_URL ?? '' };
    case 's3': {
      const { PERDURE_BLOBS_S3_PREFIX: prefix, PERDURE_BLOBS_S3_REGION: region } = settings;
      const { PERDURE_BLOBS_S3_ENDPOINT: endpoint } = settings;
      return {
        kind: 's3',
        bucket: settings.PERDURE_BLOBS_S3_BUCKET ?? '',
        ...(prefix !== undefined && { prefix }),
        ...(endpoint !== undefined && { endpoint }),
        ...(region !== undefined && { region }),
      };
    }
    case 'file':
      return { kind: 'file', directory: join(dataDirectory, 'blobs') };
  }
}

function eventsOf(settings: Settings, dataDirectory: string): EventSinkSettings {
  switch (settings.PERDURE_EVENTS) {
    case 'redis':
      return { kind: 'redis', url: settings.PERDURE_EVENTS_REDIS_URL ?? '' };
    case 'none':
      return { kind: 'none' };
    case 'file':
      return { kind: 'file', directory: join(dataDirectory, 'events') };
  }
}
