import { type } from 'arktype';
import { describe, expectTypeOf, it } from 'vitest';
import * as z from 'zod';
import * as mini from 'zod/mini';
import type { JsonObject } from '../../src/core/json.ts';
import type { Agent } from '../../src/tools/agent.ts';
import { defineAgent } from '../../src/tools/define-agent.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import type { DepsOfAgents, ToolItem } from '../../src/tools/deps-of.ts';
import { registerAgents } from '../../src/tools/register-agents.ts';
import type { CallInfo, Tool, ToolContext } from '../../src/tools/tool.ts';
import { scripted } from '../../src/models/scripted.ts';

interface Database {
  find(id: string): Promise<string>;
}
interface Mailer {
  send(to: string): Promise<void>;
}

const base = { name: 'tool', description: 'Does something', effect: 'read' } as const;
const about = { name: 'agent', model: scripted([]), instructions: 'Help.' };

const findOrder = defineTool({
  ...base,
  name: 'find_order',
  inputSchema: z.object({ id: z.string() }),
  execute: ({ id }, ctx: ToolContext<{ db: Database }>) => ctx.deps.db.find(id),
});
const sendMail = defineTool({
  ...base,
  name: 'send_mail',
  inputSchema: z.object({ to: z.email() }),
  execute: ({ to }, ctx: ToolContext<{ mail: Mailer }>) => ctx.deps.mail.send(to),
});
const add = defineTool({
  ...base,
  name: 'add',
  inputSchema: z.object({ a: z.number(), b: z.number() }),
  execute: ({ a, b }) => a + b,
});

describe("the type of execute's input", () => {
  it('is what a zod object gives out, defaults and transforms included', () => {
    defineTool({
      ...base,
      inputSchema: z.object({
        id: z.string(),
        limit: z.number().default(10),
        at: z.iso.datetime().transform((text) => new Date(text)),
        note: z.string().optional(),
      }),
      execute: (input) => {
        expectTypeOf(input).toEqualTypeOf<{
          id: string;
          limit: number;
          at: Date;
          note?: string | undefined;
        }>();
        return null;
      },
    });
  });

  it('is the same for needsApproval, summary and reconcile', () => {
    defineTool({
      ...base,
      effect: 'once',
      inputSchema: z.object({ amount: z.number() }),
      needsApproval: (input, info) => {
        expectTypeOf(input).toEqualTypeOf<{ amount: number }>();
        expectTypeOf(info).toEqualTypeOf<CallInfo>();
        return input.amount > 100;
      },
      summary: (input) => {
        expectTypeOf(input.amount).toEqualTypeOf<number>();
        return `pays ${input.amount}`;
      },
      reconcile: (input) => {
        expectTypeOf(input.amount).toEqualTypeOf<number>();
        return { status: 'unknown' };
      },
      execute: (input) => input.amount,
    });
  });

  it('comes from zod/mini as well', () => {
    defineTool({
      ...base,
      inputSchema: mini.object({
        id: mini.string(),
        tags: mini.optional(mini.array(mini.string())),
      }),
      execute: (input) => {
        expectTypeOf(input).toEqualTypeOf<{ id: string; tags?: string[] | undefined }>();
        return null;
      },
    });
  });

  it('comes from any Standard Schema', () => {
    defineTool({
      ...base,
      inputSchema: type({ city: 'string', 'days?': 'number' }),
      execute: (input) => {
        expectTypeOf(input.city).toEqualTypeOf<string>();
        expectTypeOf(input.days).toEqualTypeOf<number | undefined>();
        return null;
      },
    });
  });

  it('is a JSON object for JSON Schema', () => {
    defineTool({
      ...base,
      inputSchema: { type: 'object', properties: { id: { type: 'string' } } },
      execute: (input) => {
        expectTypeOf(input).toEqualTypeOf<JsonObject>();
        return null;
      },
    });
  });

  it('cannot be other than an object', () => {
    // @ts-expect-error a tool's arguments have names
    const define = () => defineTool({ ...base, inputSchema: z.string(), execute: () => null });
    expectTypeOf(define).toBeFunction();
  });
});

describe('the dependencies of a tool', () => {
  it('are those that are written at ctx', () => {
    expectTypeOf(findOrder).toEqualTypeOf<Tool<{ db: Database }>>();
  });

  it('are none where nothing is written', () => {
    expectTypeOf(add).toEqualTypeOf<Tool<{}>>();
    defineTool({
      ...base,
      inputSchema: z.object({}),
      execute: (_input, ctx) => {
        expectTypeOf(ctx.deps).toEqualTypeOf<{}>();
        // @ts-expect-error nothing was asked for
        return ctx.deps.db as unknown;
      },
    });
  });

  it('are those of reconcile too', () => {
    const tool = defineTool({
      ...base,
      effect: 'once',
      inputSchema: z.object({ id: z.string() }),
      reconcile: async (input, ctx: ToolContext<{ db: Database }>) => {
        const found = await ctx.deps.db.find(input.id);
        return { status: 'done', output: found };
      },
      execute: (input, ctx: ToolContext<{ db: Database }>) => ctx.deps.db.find(input.id),
    });
    expectTypeOf(tool).toEqualTypeOf<Tool<{ db: Database }>>();
  });
});

describe('the dependencies of an agent', () => {
  it('are what all its tools need together, tool sets included', () => {
    const agent = defineAgent({ ...about, tools: [findOrder, [add, [sendMail]]] });
    expectTypeOf(agent).toEqualTypeOf<Agent<{ db: Database } & { mail: Mailer }>>();
  });

  it('are none without tools, or with tools that need none', () => {
    expectTypeOf(defineAgent(about)).toEqualTypeOf<Agent<{}>>();
    expectTypeOf(defineAgent({ ...about, tools: [] })).toEqualTypeOf<Agent<{}>>();
    expectTypeOf(defineAgent({ ...about, tools: [add] })).toEqualTypeOf<Agent<{}>>();
  });

  it('are not hidden by a tool that needs none', () => {
    const agent = defineAgent({ ...about, tools: [add, findOrder] });
    type Needs = DepsOfAgents<readonly [typeof agent]>;
    expectTypeOf<{ db: Database }>().toExtend<Needs>();
    expectTypeOf<{}>().not.toExtend<Needs>();
    expectTypeOf<{ mail: Mailer }>().not.toExtend<Needs>();
  });

  it('cannot be named where the type of the tools says nothing of them', () => {
    const tools: readonly ToolItem[] = [findOrder, [sendMail]];
    expectTypeOf(defineAgent({ ...about, tools })).toEqualTypeOf<Agent<never>>();
  });

  it('of several agents are those of all of them', () => {
    const first = defineAgent({ ...about, tools: [findOrder] });
    const second = defineAgent({ ...about, name: 'second', tools: [sendMail] });
    type Needs = DepsOfAgents<readonly (typeof first | typeof second)[]>;
    expectTypeOf<{ db: Database; mail: Mailer }>().toExtend<Needs>();
    expectTypeOf<{ db: Database }>().not.toExtend<Needs>();
    expectTypeOf(registerAgents([first, second])).toEqualTypeOf<
      ReadonlyMap<string, Agent<never>>
    >();
  });

  it('let a tool with fewer needs stand where more are given', () => {
    expectTypeOf<Tool<{}>>().toExtend<Tool<{ db: Database }>>();
    expectTypeOf<Tool<{ db: Database }>>().not.toExtend<Tool<{}>>();
    expectTypeOf<Agent<{ db: Database }>>().toExtend<Agent<never>>();
  });
});
