import { Client } from '@temporalio/client';
import { describe, expect, inject, test } from 'vitest';
import {
  ConversationNotFound,
  PerdureClient,
  ServerRefused,
  ServerUnreachable,
} from '../../src/client/index.ts';

describe('a client', () => {
  test('says at once where no server answers, and what to do', async () => {
    const connecting = PerdureClient.connect({ address: '127.0.0.1:1', connectTimeoutMs: 60_000 });
    await expect(connecting).rejects.toThrow(ServerUnreachable);
    await expect(connecting).rejects.toThrow(/127\.0\.0\.1:1: start one \(perdure dev\)/);
  });

  test('says which namespace the server does not have', async () => {
    const address = inject('temporalAddress');
    const client = await PerdureClient.connect({ address, namespace: 'nowhere' });
    const listing = (async () => {
      for await (const info of client.list()) void info;
    })();
    await expect(listing).rejects.toThrow(ServerRefused);
    await expect(client.start('desk', { message: 'hello' })).rejects.toThrow(
      /no namespace "nowhere"/,
    );
    await client.close();
  });

  test('says which conversation there is not, whatever it is asked', async () => {
    const client = await PerdureClient.connect({ address: inject('temporalAddress') });
    const nobody = client.handle('nobody');
    const by = { id: 'ana' };
    const asking = [
      nobody.describe(),
      nobody.status(),
      nobody.send('hello'),
      nobody.approve('call_1', { by }),
      nobody.stop(),
      nobody.close(),
      nobody.cancel(),
      nobody.result(),
      nobody.entries(),
      nobody.watch()[Symbol.asyncIterator]().next(),
    ];
    for (const answer of await Promise.allSettled(asking)) {
      expect(answer).toMatchObject({
        status: 'rejected',
        reason: expect.any(ConversationNotFound),
      });
    }
    await client.close();
  });

  test('uses a Temporal client that it was given, and leaves its connection open', async () => {
    const { temporal, address } = await PerdureClient.connect({
      address: inject('temporalAddress'),
    });
    const given = new PerdureClient({ client: new Client({ connection: temporal.connection }) });
    expect(given.address).toBe(address);
    await given.close();
    await expect(temporal.workflowService.getSystemInfo({})).resolves.toBeDefined();
    await temporal.connection.close();
  });
});
