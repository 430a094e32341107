import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { PerdureClient } from '../client/perdure-client.ts';
import { startEmbeddedServer } from '../embedded-server/embedded-server.ts';
import type { CrashReport } from './crash/crash-report.ts';
import { CrashRun } from './crash/crash-run.ts';
import type { CrashTestOptions } from './crash/crash-options.ts';

/** What only our own tests set. */
export interface CrashTestInternals {
  readonly compiledEntry?: URL;
}

/**
 * Runs conversations with real worker processes and kills those, at every point where a crash can
 * hurt; then says what held and what did not.
 * @returns a report; `problems` is empty when everything held
 * @throws {Error} when the configuration cannot be loaded, or no server can be had
 */
export async function crashTest(
  options: CrashTestOptions,
  internals: CrashTestInternals = {},
): Promise<CrashReport> {
  const dataDirectory = await mkdtemp(join(tmpdir(), 'perdure-crash-test-'));
  const server =
    options.address === undefined
      ? await startEmbeddedServer({ dataDirectory, headless: true })
      : undefined;
  const seed = options.seed ?? Math.floor(Math.random() * 2 ** 31);
  const taskQueue = `crash-test-${seed}-${process.pid}-${Date.now()}`;
  const where = {
    address: server?.address ?? options.address ?? '',
    ...(options.namespace === undefined ? {} : { namespace: options.namespace }),
  };
  let client: PerdureClient | undefined;
  try {
    client = await PerdureClient.connect({ ...where, taskQueue });
    const run = new CrashRun({
      ...options,
      ...internals,
      config: urlOf(options.config),
      seed,
      client,
      dataDirectory: join(dataDirectory, 'worker'),
    });
    return await run.report();
  } finally {
    await client?.close();
    await server?.stop();
    await rm(dataDirectory, { recursive: true, force: true });
  }
}

function urlOf(config: string | URL): string {
  return config instanceof URL || config.startsWith('file:')
    ? String(config)
    : pathToFileURL(config).href;
}
