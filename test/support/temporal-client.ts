import { Client, Connection } from '@temporalio/client';
import { afterAll, inject } from 'vitest';

let connection: Connection | undefined;

afterAll(async () => {
  await connection?.close();
  connection = undefined;
});

/** Temporal's own client, for what a service without our client does. */
export async function temporalClient(): Promise<Client> {
  connection ??= await Connection.connect({ address: inject('temporalAddress') });
  return new Client({ connection });
}
