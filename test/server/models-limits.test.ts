import { afterAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { ConversationFailed } from '../../src/client/index.ts';
import { textOf } from '../../src/core/content.ts';
import { anthropic } from '../../src/models/anthropic/anthropic.ts';
import { anthropicWire as wire } from '../../src/models/contract/anthropic-wire.ts';
import { startModelServer } from '../../src/models/contract/model-server.ts';
import { ModelFailure } from '../../src/models/model.ts';
import { scripted, toolCall } from '../../src/models/scripted.ts';
import { defineAgent } from '../../src/tools/define-agent.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import { serveAgents } from '../support/serve-agents.ts';

const look = defineTool({
  name: 'look',
  description: 'Looks.',
  inputSchema: z.object({}),
  effect: 'read',
  execute: () => 'nothing',
});

/** Calls its tool for ever, but answers when it is told that it may not. */
const restless = scripted((request) =>
  request.toolChoice === 'none' ? 'Out of steps.' : toolCall('look'),
);

function limited(name: string, onLimit: 'fail' | 'partial' | 'wrapUp') {
  return defineAgent({
    name,
    model: restless,
    instructions: 'Look.',
    tools: [look],
    limits: { maxSteps: 3 },
    onLimit,
  });
}

const busy = new ModelFailure('overloaded', 'busy', { retryAfterMs: 20 });

function failing(name: string, failures: number, type: ModelFailure = busy) {
  return defineAgent({
    name,
    model: scripted([{ text: 'Here.', failures: Array.from({ length: failures }, () => type) }]),
    instructions: 'Answer.',
    modelPatience: 1,
  });
}

/** The last words of each request of the agents with structured answers, by conversation. */
const said = new Map<string, string[]>();

function structured(name: string, answers: readonly string[]) {
  return defineAgent({
    name,
    model: scripted(({ conversationId, messages }, turn) => {
      const last = messages.at(-1);
      const words = last?.role === 'user' ? textOf(last.content) : '';
      said.set(conversationId, [...(said.get(conversationId) ?? []), words]);
      return answers[turn] ?? 'There is no more.';
    }),
    instructions: 'Count.',
    output: z.object({ total: z.number() }),
  });
}

const full = await startModelServer(() => wire.error('rate_limited', { 'retry-after': '36000' }));
afterAll(() => full.close());
const waiting = defineAgent({
  name: 'waiting',
  model: anthropic('claude-wire-1', { apiKey: 'test-key', baseURL: full.url }),
  instructions: 'Answer.',
});

const served = serveAgents({
  agents: [
    limited('fails', 'fail'),
    limited('partial', 'partial'),
    limited('wraps', 'wrapUp'),
    failing('recovers', 2),
    failing('gives_up', 100),
    failing('is_rejected', 100, new ModelFailure('auth', 'no key')),
    waiting,
    structured('repairs', ['It is seven.', '{"total": "seven"}', '{"total": 7}']),
    structured('fits', ['{"total": 7}']),
    structured('never_fits', ['one', '{"total": "two"}', '{"sum": 3}', '{"total": 4}']),
  ],
});

async function failure(agent: string): Promise<ConversationFailed> {
  const conversation = await served.client.start(agent, { message: 'Go' });
  const failed = await conversation.result().catch((error: unknown) => error);
  if (failed instanceof ConversationFailed) return failed;
  throw new Error(`expected a failed conversation, got ${JSON.stringify(failed)}`);
}

async function result(agent: string) {
  return (await served.client.start(agent, { message: 'Go' })).result();
}

describe('a model that never stops calling', () => {
  test('fails its task at the limit, where that is asked for', async () => {
    expect(await failure('fails')).toMatchObject({
      type: 'MaxSteps',
      stopReason: 'max_steps',
      result: { summary: { completions: 3 } },
    });
  });

  test('ends with what there is, and never with an ordinary answer', async () => {
    expect(await result('partial')).toMatchObject({
      status: 'partial',
      stopReason: 'max_steps',
      text: '',
      summary: { completions: 3, calls: { look: { ok: 3 } } },
    });
  });

  test('may say one more thing without tools', async () => {
    expect(await result('wraps')).toMatchObject({
      status: 'partial',
      stopReason: 'max_steps',
      text: 'Out of steps.',
      summary: { completions: 4 },
    });
  });
});

describe('a model that fails', () => {
  test('is asked again as long as the failure can pass, and its turn is one turn', async () => {
    expect(await result('recovers')).toMatchObject({ text: 'Here.', summary: { completions: 1 } });
  });

  test('ends the task once patience is over', async () => {
    expect(await failure('gives_up')).toMatchObject({ type: 'ModelUnavailable' });
  });

  test('is not asked again when somebody has to change something', async () => {
    const rejected = await failure('is_rejected');
    expect(rejected).toMatchObject({ type: 'ModelRejected' });
    expect(rejected.message).toContain('no key');
  });

  test('that asks for hours is waited for in sight, and a stop ends the wait', async () => {
    const conversation = await served.client.start('waiting', { mode: 'chat', message: 'Go' });
    const status = () => conversation.status();
    await expect
      .poll(async () => (await status()).status, { timeout: 20_000 })
      .toBe('waiting_model');
    const { waitingUntil, waitingFor } = await status();
    expect(Date.parse(waitingUntil ?? '') - Date.now()).toBeGreaterThan(35e6 - 60_000);
    expect(waitingFor).toContain('rate_limited');
    const { temporal, namespace } = served.client;
    const { pendingActivities } = await temporal.workflowService.describeWorkflowExecution({
      namespace,
      execution: { workflowId: conversation.id },
    });
    expect(pendingActivities, 'no slot of a worker is held').toEqual([]);
    expect(full.requests).toHaveLength(1);
    await conversation.stop();
    await expect
      .poll(async () => (await status()).status, { timeout: 20_000 })
      .toBe('waiting_input');
    expect((await status()).lastTurn).toMatchObject({ stopReason: 'stopped' });
    await conversation.close();
  });
});

describe('an answer that must fit a schema', () => {
  test('is asked for again when it does not, and read', async () => {
    const conversation = await served.client.start('repairs', { message: 'Go' });
    expect(await conversation.result()).toMatchObject({ output: { total: 7 } });
    expect(said.get(conversation.id)).toEqual([
      'Go',
      expect.stringContaining('does not fit the required JSON Schema:\n- it is not JSON'),
      expect.stringContaining('/total: must be number, got "seven"'),
    ]);
  });

  test('is taken at once when it does', async () => {
    expect(await result('fits')).toMatchObject({
      output: { total: 7 },
      summary: { completions: 1 },
    });
  });

  test('ends as unparseable after a bounded number of tries', async () => {
    expect(await failure('never_fits')).toMatchObject({ type: 'Unparseable' });
  });
});
