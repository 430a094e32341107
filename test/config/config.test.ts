import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ConfigError, readConfig } from '../../src/config.ts';

/** An environment of its own: no Temporal profile of this machine. */
const EMPTY = { HOME: '/nonexistent', XDG_CONFIG_HOME: '/nonexistent' };

function problemsOf(environment: { [name: string]: string }): readonly string[] {
  try {
    readConfig({ ...EMPTY, ...environment });
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  throw new Error('expected a ConfigError');
}

describe('readConfig', () => {
  test('has a default for everything', () => {
    const config = readConfig(EMPTY);
    expect(config).toMatchObject({
      taskQueue: 'perdure',
      dataDirectory: resolve('.perdure'),
      logLevel: 'info',
      blobs: { kind: 'file', directory: resolve('.perdure/blobs') },
      events: { kind: 'file', directory: resolve('.perdure/events') },
      heartbeatTimeoutMs: 60_000,
      deployPatienceMs: 60_000,
      shutdownForceTimeMs: 30_000,
      inlineLimitBytes: 32_768,
    });
    // By the memory that there is; a worker asks for it.
    expect(config.transcriptCacheBytes).toBeUndefined();
    expect(config.maxCachedWorkflows).toBeUndefined();
    expect(config.maxConcurrentActivities).toBeUndefined();
  });

  test('reads durations, sizes and counts in the notations that people write', () => {
    const config = readConfig({
      ...EMPTY,
      PERDURE_HEARTBEAT_TIMEOUT: '2m',
      PERDURE_DEPLOY_PATIENCE: '0',
      PERDURE_SHUTDOWN_FORCE_TIME: '1500',
      PERDURE_INLINE_LIMIT: '16 KiB',
      PERDURE_TRANSCRIPT_CACHE: '1000',
      PERDURE_MAX_CACHED_WORKFLOWS: '50',
    });
    expect(config).toMatchObject({
      heartbeatTimeoutMs: 120_000,
      deployPatienceMs: 0,
      shutdownForceTimeMs: 1500,
      inlineLimitBytes: 16_384,
      transcriptCacheBytes: 1000,
      maxCachedWorkflows: 50,
    });
  });

  test('takes stores of other kinds with their settings', () => {
    const first = readConfig({
      ...EMPTY,
      PERDURE_BLOBS: 'postgres',
      PERDURE_BLOBS_POSTGRES_URL: 'postgres://db/perdure',
      PERDURE_EVENTS: 'redis',
      PERDURE_EVENTS_REDIS_URL: 'redis://cache',
    });
    expect(first.blobs).toEqual({
      kind: 'postgres',
      connectionString: 'postgres://db/perdure',
    });
    expect(first.events).toEqual({ kind: 'redis', url: 'redis://cache' });

    const second = readConfig({
      ...EMPTY,
      PERDURE_BLOBS: 's3',
      PERDURE_BLOBS_S3_BUCKET: 'blobs',
      PERDURE_BLOBS_S3_ENDPOINT: 'http://minio:9000',
      PERDURE_EVENTS: 'none',
    });
    expect(second.blobs).toMatchObject({
      kind: 's3',
      bucket: 'blobs',
      endpoint: 'http://minio:9000',
    });
    expect(second.events).toEqual({ kind: 'none' });
  });

  test('reports all problems at once, each with what was expected and what came', () => {
    const problems = problemsOf({
      PERDURE_LOG_LEVEL: 'loud',
      PERDURE_BLOBS: 'postgres',
      PERDURE_HEARTBEAT_TIMEOUT: 'soon',
      PERDURE_INLINE_LIMIT: '1 TB',
      PERDURE_MAX_CONCURRENT_ACTIVITIES: '0',
      PERDURE_TASK_QUEUE: '',
    });
    expect(problems.toSorted()).toEqual([
      'PERDURE_BLOBS_POSTGRES_URL: is needed because PERDURE_BLOBS is "postgres"',
      'PERDURE_HEARTBEAT_TIMEOUT: expected a duration such as "90s", "5m" or milliseconds, got "soon"',
      'PERDURE_INLINE_LIMIT: expected a size such as "32KiB", "64MiB" or bytes, got "1 TB"',
      'PERDURE_LOG_LEVEL: expected one of debug, info, warn, error, got "loud"',
      'PERDURE_MAX_CONCURRENT_ACTIVITIES: expected a whole number above 0, got "0"',
      'PERDURE_TASK_QUEUE: expected text, got an empty value',
    ]);
  });

  test('does not let history hold inline what would not fit its payloads', () => {
    expect(problemsOf({ PERDURE_INLINE_LIMIT: '65KiB' })).toEqual([
      'PERDURE_INLINE_LIMIT: expected at most 64KiB',
    ]);
  });

  test('names the nearest setting for one that does not exist, and all when none is near', () => {
    expect(problemsOf({ PERDURE_TASKQUEUE: 'x' })).toEqual([
      'PERDURE_TASKQUEUE: there is no such setting, did you mean PERDURE_TASK_QUEUE?',
    ]);
    expect(problemsOf({ PERDURE_Q: 'x' })[0]).toMatch(
      /^PERDURE_Q: there is no such setting \(there are PERDURE_TASK_QUEUE, /,
    );
  });

  test('takes the Temporal variables as Temporal reads them', () => {
    const { temporal } = readConfig({
      ...EMPTY,
      TEMPORAL_ADDRESS: 'temporal.example:7233',
      TEMPORAL_NAMESPACE: 'desk',
      TEMPORAL_API_KEY: 'secret',
    });
    expect(temporal.namespace).toBe('desk');
    expect(temporal.connectionOptions).toMatchObject({
      address: 'temporal.example:7233',
      apiKey: 'secret',
    });
  });

  test('takes a Temporal profile unchanged, and reports one that does not exist', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'perdure-profile-'));
    onTestFinished(() => rm(directory, { recursive: true }));
    const file = join(directory, 'temporal.toml');
    await writeFile(file, '[profile.desk]\naddress = "10.1.1.1:7233"\nnamespace = "refunds"\n');
    const environment = { ...EMPTY, TEMPORAL_CONFIG_FILE: file };

    const { temporal } = readConfig({ ...environment, TEMPORAL_PROFILE: 'desk' });
    expect(temporal.namespace).toBe('refunds');
    expect(temporal.connectionOptions.address).toBe('10.1.1.1:7233');
    expect(problemsOf({ ...environment, TEMPORAL_PROFILE: 'shop' })).toEqual([
      expect.stringMatching(/^Temporal profile: .*shop/),
    ]);
  });
});
