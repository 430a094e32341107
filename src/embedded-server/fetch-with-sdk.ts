import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { checkTemporalCli } from './temporal-cli-version.ts';

const DOWNLOAD_TIMEOUT_MS = 120_000;

/**
 * The SDK downloads a server only to start it, so a process of its own starts one and stops it:
 * a download that hangs can then be ended.
 */
const DOWNLOAD_PROGRAM = `
  import { TestWorkflowEnvironment } from '@temporalio/testing';
  const executable = { type: 'cached-download', downloadDir: process.argv[1] };
  const environment = await TestWorkflowEnvironment.createLocal({ server: { executable } });
  await environment.teardown();
`;

/**
 * Fetches the Temporal CLI with Temporal's own SDK and puts it at `target`, in one atomic rename.
 * @throws {Error} with the SDK's reason.
 */
export async function fetchWithSdk(target: string): Promise<void> {
  await mkdir(dirname(target), { recursive: true });
  const scratch = await mkdtemp(`${target}.fetch-`);
  try {
    const args = ['--input-type=module', '--eval', DOWNLOAD_PROGRAM, scratch];
    // From this folder, so that Node finds the SDK that belongs to this package.
    const cwd = dirname(fileURLToPath(import.meta.url));
    await promisify(execFile)(process.execPath, args, {
      cwd,
      timeout: DOWNLOAD_TIMEOUT_MS,
    }).catch((error: unknown) => {
      throw new Error(reasonOf(error));
    });
    const file = (await readdir(scratch)).find((name) => name.startsWith('temporal'));
    if (file === undefined) throw new Error('the SDK started a server, but left no executable');
    const downloaded = join(scratch, file);
    await chmod(downloaded, 0o755);
    await checkTemporalCli(downloaded);
    await rename(downloaded, target);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if ('killed' in error && error.killed === true) {
    return `no answer within ${DOWNLOAD_TIMEOUT_MS / 1000} s`;
  }
  const output = 'stderr' in error ? String(error.stderr) : '';
  const line = output.split('\n').find((text) => /\bError\b/.test(text));
  return (line ?? error.message).trim().slice(0, 300);
}
