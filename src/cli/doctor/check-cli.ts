import { join } from 'node:path';
import { executableOnPath, userCacheDirectory } from '../../config.ts';
import {
  checkTemporalCli,
  PINNED_CLI_VERSION,
  type TemporalCli,
} from '../../embedded-server/temporal-cli-version.ts';
import { oneLine } from '../report-error.ts';
import type { Finding } from './finding.ts';

const CHECK = 'Temporal CLI';

/** Whether `perdure dev` can start a server on this machine without fetching anything. */
export async function checkCli(): Promise<Finding> {
  try {
    const { path, cliVersion, serverVersion } = await presentCli();
    return {
      check: CHECK,
      verdict: 'ok',
      detail: `${cliVersion} with server ${serverVersion} (${path})`,
    };
  } catch (error) {
    return {
      check: CHECK,
      verdict: 'warning',
      detail: `not on this machine, or not usable (${oneLine(error)})`,
      mend: 'perdure dev fetches it; or install it as https://docs.temporal.io/cli says',
    };
  }
}

async function presentCli(): Promise<TemporalCli> {
  const cached = join(userCacheDirectory(), 'temporal', PINNED_CLI_VERSION, 'temporal');
  try {
    return await checkTemporalCli(await executableOnPath('temporal'));
  } catch {
    return checkTemporalCli(cached);
  }
}
