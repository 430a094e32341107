import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { scripted } from '../../../src/models/scripted.ts';
import { textProtocol } from '../../../src/models/text-protocol/text-protocol.ts';
import { defineAgent } from '../../../src/tools/define-agent.ts';
import { defineTool } from '../../../src/tools/define-tool.ts';
import { registerAgents } from '../../../src/tools/register-agents.ts';

const model = scripted([]);
const toolNamed = (name: string, effect: 'read' | 'idempotent' | 'once' = 'read') =>
  defineTool({
    name,
    description: 'Does something.',
    inputSchema: z.object({}),
    effect,
    execute: () => name,
  });

describe('defineTool', () => {
  it('applies every default, by the effect where that decides', () => {
    const {
      parse: _parse,
      execute: _execute,
      ...read
    } = defineTool({
      name: 'look',
      description: 'Looks.',
      inputSchema: z.object({ where: z.string(), often: z.boolean().optional() }),
      effect: 'read',
      execute: () => null,
    });
    expect(read).toEqual({
      kind: 'tool',
      name: 'look',
      description: 'Looks.',
      inputSchema: {
        type: 'object',
        properties: { where: { type: 'string' }, often: { type: 'boolean' } },
        required: ['where'],
        additionalProperties: false,
      },
      effect: 'read',
      needsApproval: false,
      dangerous: false,
      parallelSafe: true,
      timeoutMs: 60_000,
      capabilities: [],
      usesState: false,
      completion: 'return',
      maxResultChars: 20_000,
    });
    for (const effect of ['idempotent', 'once'] as const) {
      expect(toolNamed('act', effect)).toMatchObject({ dangerous: true, parallelSafe: false });
    }
  });

  it('keeps what its author says', () => {
    const tool = defineTool({
      name: 'act',
      description: 'Acts.',
      inputSchema: z.object({ id: z.string() }),
      effect: 'once',
      needsApproval: true,
      dangerous: false,
      parallelSafe: true,
      usesState: true,
      approval: { timeout: '1h', quorum: 2 },
      timeout: '5m',
      taskQueue: 'payments',
      capabilities: ['payments'],
      maxResultChars: 100,
      completion: 'later',
      summary: ({ id }) => `acts on ${id}`,
      reconcile: () => ({ status: 'unknown' }),
      execute: () => null,
    });
    expect(tool).toMatchObject({
      name: 'act',
      description: 'Acts.',
      inputSchema: { properties: { id: { type: 'string' } } },
      effect: 'once',
      needsApproval: true,
      dangerous: false,
      parallelSafe: true,
      usesState: true,
      approval: { timeout: '1h', quorum: 2 },
      timeoutMs: 300_000,
      taskQueue: 'payments',
      capabilities: ['payments'],
      maxResultChars: 100,
      completion: 'later',
    });
    expect(tool.summary?.({ id: 'A-1' } as never)).toBe('acts on A-1');
  });

  it('cannot be changed afterwards', () => {
    const tool = toolNamed('look');
    expect(() => Object.assign(tool, { effect: 'once' })).toThrow(TypeError);
  });
});

describe('defineAgent', () => {
  it('applies every default', () => {
    expect(defineAgent({ name: 'support', model, instructions: 'Help.' })).toEqual({
      kind: 'agent',
      name: 'support',
      models: [model],
      instructions: 'Help.',
      tools: [],
      hostedTools: [],
      compaction: { keepSteps: 3, maxOutputTokens: 4_000 },
      control: 'policy',
      limits: { maxSteps: 50, maxDepth: 4, maxOutputTokens: 16_000 },
      onLimit: 'partial',
      maxParallel: 8,
      runAsDecided: false,
      modelPatience: '15 minutes',
      modelOptions: {},
      onAgentChange: 'keep',
    });
  });

  it('changes one limit without losing the others', () => {
    const agent = defineAgent({
      name: 'support',
      model,
      instructions: 'Help.',
      limits: { maxSteps: 5, deadline: '1h' },
    });
    expect(agent.limits).toEqual({
      maxSteps: 5,
      maxDepth: 4,
      maxOutputTokens: 16_000,
      deadline: '1h',
    });
  });

  it('flattens tool sets and keeps the order in which models will see the tools', () => {
    const agent = defineAgent({
      name: 'support',
      model: [model, scripted([], { id: 'fallback' })],
      instructions: () => 'Help.',
      tools: [toolNamed('c'), [toolNamed('a'), [toolNamed('d')]], toolNamed('b')],
    });
    expect(agent.tools.map(({ name }) => name)).toEqual(['c', 'a', 'd', 'b']);
    expect(agent.models.map(({ id }) => id)).toEqual(['scripted', 'fallback']);
  });

  it('refuses models that cannot do together what the agent wants', () => {
    const toolless = scripted([], { id: 'toolless', capabilities: { tools: false } });
    const foreign = { ...scripted([], { id: 'foreign' }), format: 'foreign' };
    const options = { name: 'support', instructions: 'Help.' };
    expect(() =>
      defineAgent({ ...options, model: [model, toolless], tools: [toolNamed('a')] }),
    ).toThrow('model: "toolless" takes no tools, and the agent has some: wrap it');
    expect(() => defineAgent({ ...options, model: toolless })).not.toThrow();
    const modelOptions = { temperature: 0 };
    expect(() => defineAgent({ ...options, model: [model, foreign], modelOptions })).toThrow(
      "modelOptions: they are sent in one provider's own words, and the models are of several (scripted, foreign)",
    );
    expect(() => defineAgent({ ...options, model: [model, model], modelOptions })).not.toThrow();
    const hostedTools = [{ type: 'search_2025' }];
    const plain = textProtocol(model);
    expect(() => defineAgent({ ...options, model: plain, hostedTools })).toThrow(
      'hostedTools: the model "scripted" has none',
    );
    // They go to the first, and not to what stands in for it.
    expect(() => defineAgent({ ...options, model: [model, plain], hostedTools })).not.toThrow();
  });

  it('keeps the schemas of context, state and answer as JSON Schema', () => {
    const agent = defineAgent({
      name: 'support',
      model,
      instructions: 'Help.',
      contextSchema: z.object({ tenant: z.string() }),
      stateSchema: { type: 'array' },
      output: z.object({ answer: z.string() }),
    });
    expect(agent).toMatchObject({
      contextSchema: { type: 'object', required: ['tenant'] },
      stateSchema: { type: 'array' },
      output: { type: 'object', required: ['answer'] },
    });
  });
});

describe('registerAgents', () => {
  it('finds agents by name', () => {
    const one = defineAgent({ name: 'one', model, instructions: 'Help.', tools: [toolNamed('a')] });
    const two = defineAgent({ name: 'two', model, instructions: 'Help.', tools: [toolNamed('a')] });
    expect([...registerAgents([one, two])]).toEqual([
      ['one', one],
      ['two', two],
    ]);
  });
});
