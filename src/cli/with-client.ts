import { readConfig } from '../config.ts';
import { PerdureClient } from '../client/perdure-client.ts';
import { findRunningServer } from '../embedded-server/data-directory-lock.ts';
import { dataDirectoryOf } from './data-directory.ts';
import { type Print, printer } from './print.ts';
import type { ServerOptions } from './server-command.ts';
import { type SettingsHere, settingsHere } from './settings-here.ts';
import { waitWithSpinner } from './wait-with-spinner.ts';

export interface Here {
  readonly client: PerdureClient;
  readonly print: Print;
}

/** Runs a command's work with a connected client, and closes it whatever happens. */
export async function withClient<T>(
  options: ServerOptions,
  work: (here: Here) => Promise<T>,
): Promise<T> {
  const client = await openClient(options);
  try {
    return await work({ client, print: printer(options.json) });
  } finally {
    await client.close();
  }
}

/** The same, with the blobs and the live events of the workers. */
export async function withStores<T>(
  options: ServerOptions,
  work: (here: Here & { readonly settings: SettingsHere }) => Promise<T>,
): Promise<T> {
  const dev = await runningDev(options);
  const settings = await settingsHere(options, dev?.dataDirectory);
  const { blobs, events, taskQueue } = settings;
  try {
    const client = await connect(options, dev, { blobs, events, taskQueue });
    try {
      return await work({ client, print: printer(options.json), settings });
    } finally {
      await client.close();
    }
  } finally {
    await Promise.all([blobs.close(), events.close()]);
  }
}

/**
 * Connects where the options say; without an address, to the `perdure dev` that runs on the data
 * directory; without one, by the Temporal profile and environment.
 */
export async function openClient(options: ServerOptions): Promise<PerdureClient> {
  const taskQueue = options.taskQueue ?? readConfig().taskQueue;
  return connect(options, await runningDev(options), { taskQueue });
}

interface Dev {
  readonly address: string;
  readonly namespace: string;
  readonly dataDirectory: string;
}

async function runningDev(options: ServerOptions): Promise<Dev | undefined> {
  const { address, profile } = options;
  if (address !== undefined || profile !== undefined) return undefined;
  const dataDirectory = dataDirectoryOf(options);
  const dev = await findRunningServer(dataDirectory);
  return dev === undefined ? undefined : { ...dev, dataDirectory };
}

function connect(
  { address, namespace, profile }: ServerOptions,
  dev: Dev | undefined,
  surroundings: Parameters<typeof PerdureClient.connect>[0],
): Promise<PerdureClient> {
  return waitWithSpinner(
    `Connecting to ${address ?? dev?.address ?? 'Temporal'}`,
    PerdureClient.connect({
      ...surroundings,
      address: address ?? dev?.address,
      namespace: namespace ?? dev?.namespace,
      profile,
    }),
  );
}
