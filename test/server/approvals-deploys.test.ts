import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, inject, test } from 'vitest';
import { z } from 'zod';
import { PerdureClient } from '../../src/client/index.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import { payments, startWaiting, untilTurn } from '../support/approvals.ts';
import { listedCallsAgent } from '../support/listed-calls-agent.ts';
import { withWorker } from '../support/with-worker.ts';

const ana = { id: 'ana' };
const paid: string[] = [];

const payment = z.object({ to: z.string(), cents: z.number(), note: z.string().optional() });
const paymentBefore = payment.omit({ note: true });

const pay = (inputSchema: typeof payment | typeof paymentBefore) =>
  defineTool({
    name: 'pay',
    description: 'Pays.',
    inputSchema,
    effect: 'once',
    execute: ({ to, cents }) => {
      paid.push(`${to} ${cents}`);
      return `paid ${cents} to ${to}`;
    },
  });

const before = listedCallsAgent('payer', {
  tools: [pay(paymentBefore)],
  policy: () => 'ask',
  approval: { quorum: 2, timeout: '1 hour' },
});

/** The next version: small payments are free, one person is enough, and there may be a note. */
const after = listedCallsAgent('payer', {
  tools: [pay(payment)],
  policy: ({ input }) => (Number(input['cents']) < 100 ? 'allow' : { deny: 'too much' }),
});

test('a call that waits keeps the rules that it was asked under; a new policy is for later calls', async () => {
  const taskQueue = `test-${randomUUID()}`;
  const dataDir = await mkdtemp(join(tmpdir(), 'perdure-test-deploy-'));
  const client = await PerdureClient.connect({ address: inject('temporalAddress'), taskQueue });
  try {
    const { conversation, keys, requests } = await withWorker(
      { agents: [before], taskQueue, dataDir },
      () => startWaiting(client, 'payer', { message: payments(['a', 500]), mode: 'chat' }, 1),
    );
    const [key = ''] = keys;
    await withWorker({ agents: [after], taskQueue, dataDir }, async () => {
      expect(await conversation.approvals()).toEqual(requests);
      await expect(
        conversation.approve(key, { by: ana, input: { to: 'a', cents: 5, note: 'for tea' } }),
      ).rejects.toMatchObject({ code: 'invalid_input' });
      expect(await conversation.approve(key, { by: ana })).toMatchObject({ stillNeeded: 1 });
      await conversation.approve(key, { by: { id: 'ben' } });
      expect(await untilTurn(conversation, 1)).toBe('paid 500 to a');
      await conversation.send(payments(['b', 1], ['c', 500]));
      expect(await untilTurn(conversation, 2)).toMatch(/^paid 1 to b\n---\n.*too much/s);
      await conversation.close();
      await conversation.result();
    });
    expect(paid).toEqual(['a 500', 'b 1']);
  } finally {
    await client.close();
    await rm(dataDir, { recursive: true, force: true });
  }
});
