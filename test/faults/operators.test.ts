import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import type { ConversationHandle } from '../../src/client/index.ts';
import { findTemporalCli } from '../../src/embedded-server/find-temporal-cli.ts';
import { temporalClient } from '../support/temporal-client.ts';
import { lastCall, useActingWorkers } from './use-acting-workers.ts';

const here = useActingWorkers({ heartbeatTimeoutMs: 3_000 });
const run = promisify(execFile);
const operator = { id: 'operator' };
let cli = '';

beforeAll(async () => {
  cli = (await findTemporalCli()).path;
});

/** A command of the real Temporal CLI about one conversation. */
async function temporal(
  conversation: ConversationHandle,
  ...command: readonly string[]
): Promise<void> {
  const where = ['--address', inject('temporalAddress'), '--workflow-id', conversation.id];
  await run(cli, [...command, ...where]);
}

const aboutTool = ['--activity-id', '1.1.0'];

/** Id of the workflow task that scheduled this activity: a reset to it schedules the activity anew. */
async function taskThatScheduled(conversation: ConversationHandle, activityId: string) {
  const { workflow } = await temporalClient();
  const { events } = await workflow.getHandle(conversation.id).fetchHistory();
  const scheduled = events?.find(
    (event) => event.activityTaskScheduledEventAttributes?.activityId === activityId,
  );
  return String(scheduled?.activityTaskScheduledEventAttributes?.workflowTaskCompletedEventId);
}

const keysOf = (kind: string): readonly string[] =>
  here.service.of(kind).map((effect) => String(effect['key']));

describe('an operator who', () => {
  test('pauses and unpauses a call that acts once does not make it act twice', async () => {
    await here.startWorker(1_500);
    const conversation = await here.client.start('payer', { message: 'act' });
    await here.service.until('pay began', 1);
    await temporal(conversation, 'activity', 'pause', ...aboutTool);
    await here.service.until('pay', 1);
    // It ran to its end, so there may be nothing left to unpause.
    await temporal(conversation, 'activity', 'unpause', ...aboutTool).catch(() => {});
    expect(await conversation.result()).toMatchObject({ text: 'Done.' });
    expect(here.service.of('pay began')).toHaveLength(1);
    expect((await lastCall(conversation)).result).toMatchObject({ outcome: 'ok' });
  });

  test('raises the attempts of a call whose worker then hangs does not make it act twice', async () => {
    const hanging = await here.startWorker(1_500);
    const conversation = await here.startHurried('payer');
    await here.service.until('pay began', 1);
    const attempts = [...aboutTool, '--retry-maximum-attempts', '5'];
    await temporal(conversation, 'activity', 'update-options', ...attempts);
    hanging.signal('SIGSTOP');
    await here.startWorker();
    expect(await conversation.result()).toMatchObject({ text: 'Done.' });
    const { result } = await lastCall(conversation);
    expect(result).toMatchObject({ outcome: 'outcome_unknown', effect: 'unknown' });
    hanging.signal('SIGCONT');
    await here.service.until('pay', 1);
    expect(here.service.of('pay began')).toHaveLength(1);
  });

  test('resets a call that acts once does not make it act twice', async () => {
    await here.startWorker(1_500);
    const conversation = await here.client.start('payer', { message: 'act' });
    await here.service.until('pay began', 1);
    await temporal(conversation, 'activity', 'reset', ...aboutTool);
    expect(await conversation.result()).toMatchObject({ text: 'Done.' });
    expect(here.service.of('pay began')).toHaveLength(1);
    expect(here.service.of('pay')).toHaveLength(1);
  });

  test('raises the attempts of a call, and resets it while it waits for another, does not make it act twice', async () => {
    const hanging = await here.startWorker(1_500);
    const conversation = await here.client.start('payer', { message: 'act' });
    await here.service.until('pay began', 1);
    const attempts = ['--retry-maximum-attempts', '5', '--retry-initial-interval', '60s'];
    await temporal(conversation, 'activity', 'update-options', ...aboutTool, ...attempts);
    hanging.signal('SIGSTOP');
    const { workflow } = await temporalClient();
    const attempt = async () => {
      const { raw } = await workflow.getHandle(conversation.id).describe();
      return raw.pendingActivities?.[0]?.attempt;
    };
    await expect.poll(attempt, { timeout: 30_000 }).toBe(2);
    await hanging.kill();
    await here.startWorker();
    await temporal(conversation, 'activity', 'reset', ...aboutTool);
    expect(await conversation.result()).toMatchObject({ text: 'Done.' });
    expect(here.service.of('pay began')).toHaveLength(1);
    const { result } = await lastCall(conversation);
    expect(result).toMatchObject({ outcome: 'outcome_unknown', effect: 'unknown' });
  });

  test('resets the conversation to before a call orders it again, under a key of its own', async () => {
    await here.startWorker();
    const conversation = await here.client.start('payer', { message: 'act' });
    await conversation.result();
    const [planned = ''] = keysOf('pay');
    const task = await taskThatScheduled(conversation, '1.1.0');
    const again = ['--event-id', task, '--reason', 'once more'];
    await temporal(conversation, 'workflow', 'reset', ...again);
    await here.service.until('pay', 2);
    expect(await conversation.result()).toMatchObject({ text: 'Done.' });
    await temporal(conversation, 'workflow', 'reset', ...again);
    await here.service.until('pay', 3);
    expect(await conversation.result()).toMatchObject({ text: 'Done.' });
    const keys = keysOf('pay');
    expect(new Set(keys).size).toBe(3);
    expect(keys.every((key) => key.startsWith(planned))).toBe(true);
    // The record is that of the last run: one call, run once.
    expect((await lastCall(conversation)).attempts).toHaveLength(1);
  });

  test('resets the conversation while a call runs: it is settled honestly, not run beside the first', async () => {
    await here.startWorker(2_000);
    const conversation = await here.client.start('shipper', { message: 'act' });
    await here.service.until('ship began', 1);
    const { workflow } = await temporalClient();
    const { events } = await workflow.getHandle(conversation.id).fetchHistory();
    const lastTask = events?.findLast((event) => event.workflowTaskCompletedEventAttributes);
    const again = ['--event-id', String(lastTask?.eventId), '--reason', 'once more'];
    await temporal(conversation, 'workflow', 'reset', ...again);
    expect(await conversation.result()).toMatchObject({ text: 'Done.' });
    for (const key of new Set(keysOf('ship began'))) {
      expect(keysOf('ship began').filter((other) => other === key)).toHaveLength(1);
    }
  });

  test('resets the conversation before a verdict: the approved call runs under a key of its own', async () => {
    await here.startWorker();
    const conversation = await here.client.start('asker', { message: 'act' });
    const approve = async () => {
      await expect
        .poll(() => conversation.approvals().catch(() => []), { timeout: 20_000 })
        .toHaveLength(1);
      const [request] = await conversation.approvals();
      await conversation.approve(request?.key ?? '', { by: operator });
      return request?.key;
    };
    const approved = await approve();
    await conversation.result();
    const { workflow } = await temporalClient();
    const { events } = await workflow.getHandle(conversation.id).fetchHistory();
    const modelDone = events?.find(
      (event) => event.activityTaskScheduledEventAttributes?.activityId === '1.1.model',
    );
    const asked = events?.find(
      ({ eventId, workflowTaskCompletedEventAttributes }) =>
        workflowTaskCompletedEventAttributes && Number(eventId) > Number(modelDone?.eventId),
    );
    const again = ['--event-id', String(asked?.eventId), '--reason', 'once more'];
    await temporal(conversation, 'workflow', 'reset', ...again, '--reapply-exclude', 'All');
    expect(await approve()).toBe(approved);
    expect(await conversation.result()).toMatchObject({ text: 'Done.' });
    expect(keysOf('ask')).toHaveLength(2);
    expect(new Set(keysOf('ask')).size).toBe(2);
  });
});
