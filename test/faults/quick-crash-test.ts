import { crashTest, type CrashReport, type CrashTestOptions } from '../../src/testing/index.ts';
import { compiledUrl } from '../support/compile-tree.ts';

export const CRASH_WORKER = new URL('../../src/testing/crash/crash-worker.ts', import.meta.url);

/** A crash test of a fixture of ours, whose worker processes load the compiled tree. */
export function quickCrashTest(
  { config, ...options }: CrashTestOptions & { readonly config: URL },
  compiledPath: string,
): Promise<CrashReport> {
  return crashTest(
    { ...options, config: compiledUrl(config, compiledPath) },
    { compiledEntry: compiledUrl(CRASH_WORKER, compiledPath) },
  );
}
