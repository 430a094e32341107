import { describe, expect, test } from 'vitest';
import { lastCall, useActingWorkers } from './use-acting-workers.ts';

const here = useActingWorkers({ heartbeatTimeoutMs: 3_000 });
const PATIENTLY = { timeout: 30_000 };

describe('a worker process that is stopped (SIGSTOP) inside a tool that acts once', () => {
  test.each([
    { agent: 'payer', tool: 'pay' },
    { agent: 'shipper', tool: 'ship' },
  ])(
    'is given up, and what it then does late is never repeated: $tool',
    async ({ agent, tool }) => {
      const stopped = await here.startWorker(1_500);
      const conversation = await here.startHurried(agent);
      await here.service.until(`${tool} began`, 1);
      stopped.signal('SIGSTOP');
      await here.startWorker();
      expect(await conversation.result()).toMatchObject({ text: 'Done.' });
      const { result } = await lastCall(conversation);
      // Its reconcile says that it did not happen; nobody believes that of an attempt that may live.
      expect(result).toMatchObject({ outcome: 'outcome_unknown', effect: 'unknown' });
      expect(here.service.of(tool)).toHaveLength(0);
      stopped.signal('SIGCONT');
      await here.service.until(tool, 1);
      expect(here.service.of(`${tool} began`)).toHaveLength(1);
    },
  );

  test('that goes on in time loses nothing, and its own result counts', async () => {
    const worker = await here.startWorker(1_000);
    const conversation = await here.client.start('payer', { message: 'act' });
    await here.service.until('pay began', 1);
    worker.signal('SIGSTOP');
    // Another worker sweeps meanwhile: a stopped process is not a dead one.
    await here.startWorker();
    worker.signal('SIGCONT');
    expect(await conversation.result()).toMatchObject({ text: 'Done.' });
    const { result } = await lastCall(conversation);
    await expect.poll(() => here.service.of('pay').length, PATIENTLY).toBe(1);
    expect(['ok', 'outcome_unknown']).toContain(result?.outcome);
    expect(here.service.of('pay began')).toHaveLength(1);
  });
});
