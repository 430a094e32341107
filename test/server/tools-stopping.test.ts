import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { ToolResultPart } from '../../src/core/model-request.ts';
import { scripted, toolCall } from '../../src/models/scripted.ts';
import { defineAgent } from '../../src/tools/define-agent.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import { ToolError } from '../../src/tools/tool.ts';
import { serveAgents } from '../support/serve-agents.ts';
import { temporalClient } from '../support/temporal-client.ts';

interface Seen {
  started: number;
  aborted: boolean;
  /** Lets a tool that waits go on. */
  finish?: () => void;
  /** What the model was shown of the call. */
  results: readonly ToolResultPart[];
}
const seen = new Map<string, Seen>();

/** What happened in a conversation, also before its first call. */
function seenIn(conversationId: string): Seen {
  const record = seen.get(conversationId) ?? { started: 0, aborted: false, results: [] };
  seen.set(conversationId, record);
  return record;
}

const behaviours = ['obeys', 'returns', 'ignores', 'waits'] as const;
const work = defineTool({
  name: 'work',
  description: 'Works until it is stopped.',
  inputSchema: z.object({ how: z.enum(behaviours) }),
  effect: 'once',
  timeout: '60 s',
  execute: async ({ how }, ctx) => {
    const record = seenIn(ctx.conversationId);
    record.started += 1;
    ctx.signal.addEventListener('abort', () => {
      record.aborted = true;
    });
    switch (how) {
      case 'obeys':
        return await aborted(ctx.signal);
      case 'returns':
        return await aborted(ctx.signal).catch(() => 'half of it');
      case 'ignores':
        return await new Promise(() => undefined);
      case 'waits':
        return await new Promise<string>((resolve) => {
          record.finish = () => resolve('finished');
        });
    }
  },
});

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error));
  });
}

const worker = defineAgent({
  name: 'worker',
  model: scripted((request) => {
    const last = request.messages.at(-1);
    const [first] = request.messages;
    const how =
      first?.role === 'user' && first.content[0]?.type === 'text' && first.content[0].text;
    if (request.messages.length === 1) return toolCall('work', { how: how || 'obeys' });
    const results = request.messages.flatMap((message) =>
      message.role === 'tool' ? message.results : [],
    );
    seenIn(request.conversationId).results = results;
    return `I saw ${results.length} result(s) after ${last?.role}.`;
  }),
  instructions: 'Work.',
  tools: [work],
});

/** Each attempt may have done it, and the next one comes in a while. */
const flaky = defineTool({
  name: 'flaky',
  description: 'Fails for now.',
  inputSchema: z.object({}),
  effect: 'idempotent',
  retry: { attempts: 3, initialInterval: '60 s' },
  execute: (_, { conversationId }) => {
    seenIn(conversationId).started += 1;
    throw new ToolError('no answer came', { retryable: true, effect: 'unknown' });
  },
});

const flakyWorker = defineAgent({
  name: 'flaky_worker',
  model: scripted((_, turn) => (turn === 0 ? toolCall('flaky', {}) : 'Done.')),
  instructions: 'Work.',
  tools: [flaky],
});

/** A heartbeat that waits for its default throttle would bring the stop after 48 s. */
const SOON = { timeout: 10_000 };
const CANCEL_GRACE_MS = 500;
const served = serveAgents({
  agents: [worker, flakyWorker],
  internals: { cancelGraceMs: CANCEL_GRACE_MS },
});

/** A chat whose tool is running. */
async function chatThat(how: (typeof behaviours)[number]) {
  const conversation = await served.client.start('worker', { mode: 'chat', message: how });
  await expect.poll(() => seenIn(conversation.id).started, { timeout: 15_000 }).toBe(1);
  return conversation;
}

/** Types of the activity's events, and what it recorded. */
async function recorded(conversationId: string) {
  const client = await temporalClient();
  const history = await client.workflow.getHandle(conversationId).fetchHistory();
  const events = history.events ?? [];
  const completed = events.flatMap((event) => {
    const attributes = event.activityTaskCompletedEventAttributes;
    const scheduled = events.find(({ eventId }) => eventId?.eq(attributes?.scheduledEventId ?? 0));
    const type = scheduled?.activityTaskScheduledEventAttributes?.activityType?.name;
    const data = attributes?.result?.payloads?.[0]?.data;
    return type === 'work' && data ? [JSON.parse(Buffer.from(data).toString()) as unknown] : [];
  });
  return {
    completed,
    cancelRequests: events.filter((event) => event.activityTaskCancelRequestedEventAttributes)
      .length,
    canceled: events.filter((event) => event.activityTaskCanceledEventAttributes).length,
    closing: events.at(-1),
  };
}

test('a stop between two attempts says what the first may have done', async () => {
  const conversation = await served.client.start('flaky_worker', { mode: 'chat', message: 'go' });
  await expect.poll(() => seenIn(conversation.id).started, { timeout: 15_000 }).toBe(1);
  await conversation.stop();
  await expect
    .poll(async () => (await conversation.summary()).calls, SOON)
    .toEqual({ flaky: { cancelled: 1 } });
  await conversation.close();
  await conversation.result();
  const results = (await conversation.entries()).flatMap(({ entry }) =>
    entry.kind === 'result' ? [entry] : [],
  );
  expect(results).toMatchObject([{ outcome: 'cancelled', effect: 'unknown' }]);
});

describe('a stop while a tool runs', () => {
  test('reaches it within about a second; its settled outcome is what history records', async () => {
    const conversation = await chatThat('obeys');
    await conversation.stop();
    await expect.poll(() => seenIn(conversation.id).aborted, SOON).toBe(true);
    await expect.poll(async () => (await conversation.status()).status).toBe('waiting_input');
    const history = await recorded(conversation.id);
    expect(history).toMatchObject({
      completed: [{ outcome: 'cancelled', effect: 'unknown' }],
      cancelRequests: 1,
      canceled: 0,
    });

    await conversation.send('go on');
    await expect.poll(() => seenIn(conversation.id).results, { timeout: 10_000 }).toHaveLength(1);
    expect(seenIn(conversation.id).results).toMatchObject([
      { tool: 'work', isError: true, content: [{ text: expect.stringContaining('[cancelled]') }] },
    ]);
    expect(seenIn(conversation.id).started).toBe(1);
    await conversation.close();
  });

  test('of a tool that returns all the same records that it happened', async () => {
    const conversation = await chatThat('returns');
    await conversation.stop();
    await expect
      .poll(async () => (await recorded(conversation.id)).completed, { timeout: 15_000 })
      .toMatchObject([{ outcome: 'cancelled', effect: 'happened' }]);
    expect(JSON.stringify(await recorded(conversation.id))).toContain('half of it');
    await conversation.close();
  });

  test('of a tool that ignores it is settled after the grace period', async () => {
    const conversation = await chatThat('ignores');
    await conversation.stop();
    await expect
      .poll(async () => (await recorded(conversation.id)).completed, { timeout: 15_000 })
      .toMatchObject([{ outcome: 'cancelled', effect: 'unknown' }]);
    await conversation.close();
  });
});

describe("Temporal's own commands while a tool runs", () => {
  test('cancel settles the call before the workflow ends cancelled', async () => {
    const conversation = await chatThat('obeys');
    await conversation.cancel();
    await expect.poll(() => seenIn(conversation.id).aborted, SOON).toBe(true);
    await expect
      .poll(async () => (await recorded(conversation.id)).closing?.eventType, { timeout: 15_000 })
      .toBe(21);
    expect(await recorded(conversation.id)).toMatchObject({
      completed: [{ outcome: 'cancelled', effect: 'unknown' }],
      canceled: 0,
    });
    // Its one call has its one result, right behind it.
    const { entries, calls } = await conversation.record();
    const transcript = entries.filter(({ entry }) => entry.kind !== 'note');
    expect(transcript.map(({ entry }) => entry.kind)).toEqual(['user', 'assistant', 'result']);
    const [call] = calls;
    expect(transcript[2]?.entry).toMatchObject({ key: call?.planned.key, outcome: 'cancelled' });
    expect(calls).toMatchObject([{ result: { outcome: 'cancelled', inTranscript: true } }]);
  });

  test('terminate reaches the tool within about a second', async () => {
    const conversation = await chatThat('obeys');
    const client = await temporalClient();
    await client.workflow.getHandle(conversation.id).terminate('enough');
    await expect.poll(() => seenIn(conversation.id).aborted, SOON).toBe(true);
  });
});

describe("an operator's pause while a tool runs", () => {
  test('lets it run to its end', async () => {
    const conversation = await chatThat('waits');
    const client = await temporalClient();
    const execution = { workflowId: conversation.id };
    const { namespace } = client.options;
    await client.workflowService.pauseActivity({ namespace, execution, id: '1.1.0' });
    const pausedFor = async (): Promise<number> => {
      const { pendingActivities } = await client.workflowService.describeWorkflowExecution({
        namespace,
        execution,
      });
      const [activity] = pendingActivities ?? [];
      const pausedAt = Number(activity?.pauseInfo?.pauseTime?.seconds ?? Infinity);
      return Number(activity?.lastHeartbeatTime?.seconds ?? 0) - pausedAt;
    };
    // Heartbeats after the pause have brought its notice to the worker.
    await expect.poll(pausedFor, SOON).toBeGreaterThanOrEqual(2);
    expect(seenIn(conversation.id).aborted).toBe(false);
    seenIn(conversation.id).finish?.();
    await expect
      .poll(async () => (await recorded(conversation.id)).completed, SOON)
      .toMatchObject([{ outcome: 'ok', effect: 'happened', content: 'finished' }]);
    expect(seenIn(conversation.id).started).toBe(1);
    await conversation.close();
  });
});
