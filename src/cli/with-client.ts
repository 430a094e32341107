import { readConfig } from '../config.ts';
import { resolveSettings } from '../worker/worker-settings.ts';
import { dataDirectoryOf } from './data-directory.ts';
import { PerdureClient } from '../client/perdure-client.ts';
import { findRunningServer } from '../embedded-server/data-directory-lock.ts';
import { type Print, printer } from './print.ts';
import type { ServerOptions } from './server-command.ts';
import { waitWithSpinner } from './wait-with-spinner.ts';

export interface Here {
  readonly client: PerdureClient;
  readonly print: Print;
}

/** Runs a command's work with a connected client, and closes it whatever happens. */
export async function withClient<T>(
  options: ServerOptions,
  work: (here: Here) => Promise<T>,
  { stores = false }: { readonly stores?: boolean } = {},
): Promise<T> {
  const client = await openClient(options, { stores });
  try {
    return await work({ client, print: printer(options.json) });
  } finally {
    await client.close();
  }
}

/**
 * Connects where the options say; without an address, to the `perdure dev` that runs on the data
 * directory; without one, by the Temporal profile and environment. With `stores`, the client reads
 * the blobs and live events of the workers that the environment describes.
 */
export async function openClient(
  options: ServerOptions,
  { stores = false }: { readonly stores?: boolean } = {},
): Promise<PerdureClient> {
  const { address, namespace, profile, taskQueue } = options;
  const dataDir = dataDirectoryOf(options);
  const named = address !== undefined || profile !== undefined;
  const dev = named ? undefined : await findRunningServer(dataDir);
  const settings = await resolveSettings(
    { dataDir, ...(taskQueue === undefined ? {} : { taskQueue }) },
    readConfig(),
  );
  return waitWithSpinner(
    `Connecting to ${address ?? dev?.address ?? 'Temporal'}`,
    PerdureClient.connect({
      address: address ?? dev?.address,
      namespace: namespace ?? dev?.namespace,
      profile,
      taskQueue: settings.taskQueue,
      ...(stores ? { blobs: settings.blobs, events: settings.events } : {}),
    }),
  );
}
