import { describe, expect, expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import { checkConfig, defineConfig, type ConfigOptions } from '../../src/define-config.ts';
import { openDeps } from '../../src/deps.ts';
import { scripted } from '../../src/models/index.ts';
import { defineAgent } from '../../src/tools/define-agent.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import type { ToolContext } from '../../src/tools/tool.ts';

interface Orders {
  find(id: string): string;
}
interface Mail {
  send(text: string): void;
}

const inputSchema = z.object({ id: z.string() });
const findOrder = defineTool({
  name: 'find_order',
  description: 'Finds an order.',
  inputSchema,
  effect: 'read',
  execute: ({ id }, ctx: ToolContext<{ orders: Orders }>) => ctx.deps.orders.find(id),
});
const sendMail = defineTool({
  name: 'send_mail',
  description: 'Sends a mail.',
  inputSchema,
  effect: 'once',
  execute: ({ id }, ctx: ToolContext<{ mail: Mail }>) => ctx.deps.mail.send(id),
});
const now = defineTool({
  name: 'now',
  description: 'Tells the time.',
  inputSchema: z.object({}),
  effect: 'read',
  execute: () => 'noon',
});

const model = scripted([]);
const desk = defineAgent({ name: 'desk', model, instructions: 'Help.', tools: [findOrder, now] });
const post = defineAgent({ name: 'post', model, instructions: 'Write.', tools: [sendMail] });
const clock = defineAgent({ name: 'clock', model, instructions: 'Tell.', tools: [now] });

const orders: Orders = { find: (id) => id };
const mail: Mail = { send: () => {} };

describe('defineConfig', () => {
  test('wants what all tools of all agents need, and no more', () => {
    type Needed = ConfigOptions<readonly [typeof desk, typeof post, typeof clock]>['deps'];
    expectTypeOf<{ orders: Orders; mail: Mail }>().toExtend<Needed>();
    expectTypeOf<{ orders: Orders }>().not.toExtend<Needed>();
    expectTypeOf<undefined>().not.toExtend<Needed>();

    defineConfig({ agents: [desk, post, clock], deps: { orders, mail } });
    defineConfig({ agents: [clock] });
    // @ts-expect-error find_order needs orders
    defineConfig({ agents: [desk, clock] });
    // @ts-expect-error send_mail needs mail
    defineConfig({ agents: [desk, post], deps: { orders } });
    // @ts-expect-error orders is of another kind
    defineConfig({ agents: [desk], deps: { orders: 7 } });
  });

  test('takes a function that opens the dependencies, of the same type', () => {
    defineConfig({ agents: [desk], deps: async () => ({ deps: { orders }, dispose: () => {} }) });
    // @ts-expect-error the function must give orders
    defineConfig({ agents: [desk], deps: async () => ({ deps: { mail } }) });
  });

  test('gives back what it was given when all is well', () => {
    const config = {
      agents: [desk],
      deps: { orders },
      taskQueue: 'desk',
      deployPatience: 0,
      heartbeatTimeout: '30s',
      worker: { maxConcurrentActivities: 10, shutdownForceTime: '10s' },
      models: { 'claude-x': { taskQueue: 'claude', maxPerSecond: 2 } },
    } as const;
    expect(defineConfig(config)).toEqual(config);
  });

  test('reports all problems of what no compiler has seen', () => {
    const config = {
      agents: [desk, { name: 'made by hand' }],
      taskqueue: 'desk',
      heartbeatTimeout: 'soon',
      inlineLimit: -1,
      worker: { maxCachedWorkflows: 0 },
      models: { 'claude-x': { maxPerSecond: 0 } },
    };
    expect(() => checkConfig(config)).toThrow(
      expect.objectContaining({
        problems: [
          expect.stringMatching(/^agents\[1\]: expected an agent that defineAgent made/),
          expect.stringMatching(/^inlineLimit: expected a number of bytes, at most 65536, got -1/),
          expect.stringMatching(/^heartbeatTimeout: expected a positive duration/),
          expect.stringMatching(/^worker\.maxCachedWorkflows: expected a whole number/),
          expect.stringMatching(/^models\["claude-x"\]\.taskQueue: expected text/),
          expect.stringMatching(/^models\["claude-x"\]\.maxPerSecond: expected a number above 0/),
          'taskqueue: there is no such option; did you mean "taskQueue"?',
        ],
      }),
    );
  });

  test('refuses two models that share a task queue and not its limits', () => {
    const models = {
      'claude-x': { taskQueue: 'models', maxPerSecond: 2 },
      'claude-y': { taskQueue: 'models', maxPerSecond: 2 },
      'claude-z': { taskQueue: 'models', maxPerSecond: 5 },
    };
    expect(() => checkConfig({ agents: [clock], models })).toThrow(
      'models["claude-z"]: shares the task queue "models" with "claude-x" and has other limits',
    );
  });

  test('refuses no agents, two of one name, and what is no object', () => {
    expect(() => checkConfig({ agents: [] })).toThrow('expected at least one agent');
    expect(() => checkConfig({ agents: [clock, { ...clock }] })).toThrow(
      'two agents have this name',
    );
    expect(() => checkConfig(undefined)).toThrow('expected an object, got nothing');
    expect(() => checkConfig({})).toThrow('agents: expected a list, got nothing');
  });
});

describe('openDeps', () => {
  test('gives a value as it is', async () => {
    expect((await openDeps({ orders })).deps).toEqual({ orders });
    expect((await openDeps(undefined)).deps).toEqual({});
  });

  test('opens what a function opens, and disposes of it when told', async () => {
    const events: string[] = [];
    const opened = await openDeps(async () => {
      events.push('opened');
      return { deps: { orders }, dispose: () => void events.push('disposed') };
    });
    expect(opened.deps).toEqual({ orders });
    expect(events).toEqual(['opened']);
    await opened.dispose();
    expect(events).toEqual(['opened', 'disposed']);
  });

  test('says what the function must return', async () => {
    await expect(openDeps(() => ({ orders }))).rejects.toThrow('must return { deps, dispose? }');
  });
});
