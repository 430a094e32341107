import { Client, Connection } from '@temporalio/client';
import { afterAll, inject } from 'vitest';

let connection: Connection | undefined;

afterAll(async () => {
  await connection?.close();
  connection = undefined;
});

/** Temporal's own client, for what a service without our client does. */
export async function temporalClient(): Promise<Client> {
  connection ??= await Connection.connect({
    address: inject('temporalAddress'),
    // Pages of a history with large messages are larger than the default.
    channelArgs: { 'grpc.max_receive_message_length': 64_000_000 },
  });
  return new Client({ connection });
}
