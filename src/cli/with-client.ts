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
): Promise<T> {
  const client = await openClient(options);
  try {
    return await work({ client, print: printer(options.json) });
  } finally {
    await client.close();
  }
}

/**
 * Connects where the options say; without an address, to the `perdure dev` that runs on the data
 * directory; without one, by the Temporal profile and environment.
 */
export async function openClient(options: ServerOptions): Promise<PerdureClient> {
  const { address, namespace, profile, taskQueue, dataDir } = options;
  const dev =
    address === undefined && profile === undefined ? await findRunningServer(dataDir) : undefined;
  return waitWithSpinner(
    `Connecting to ${address ?? dev?.address ?? 'Temporal'}`,
    PerdureClient.connect({
      address: address ?? dev?.address,
      namespace: namespace ?? dev?.namespace,
      profile,
      taskQueue,
    }),
  );
}
