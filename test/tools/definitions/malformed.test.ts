import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { scripted } from '../../../src/models/scripted.ts';
import { textProtocol } from '../../../src/models/text-protocol/text-protocol.ts';
import { defineAgent } from '../../../src/tools/define-agent.ts';
import { defineTool } from '../../../src/tools/define-tool.ts';
import { DefinitionError } from '../../../src/tools/definition-error.ts';
import { registerAgents } from '../../../src/tools/register-agents.ts';

const goodTool = {
  name: 'refund',
  description: 'Pays an order back.',
  inputSchema: z.object({ orderId: z.string() }),
  effect: 'once',
  execute: () => 'done',
};
const goodAgent = {
  name: 'support',
  model: scripted([]),
  instructions: 'Help.',
  tools: [defineTool(goodTool as never)],
};
const order = defineTool({ ...goodTool, name: 'find_order', effect: 'read' } as never);

const tool = (changes: object) => () => defineTool({ ...goodTool, ...changes } as never);
const withSchema = (inputSchema: unknown) => tool({ inputSchema });
const without = (option: keyof typeof goodTool) => () => {
  const { [option]: _, ...rest } = goodTool;
  return defineTool(rest as never);
};
const agent = (changes: object) => () => defineAgent({ ...goodAgent, ...changes } as never);

const cyclic: { type: string; properties: Record<string, unknown> } = {
  type: 'object',
  properties: {},
};
cyclic.properties['self'] = cyclic;

/** A schema library that has validators but no JSON Schema. */
const speechless = {
  '~standard': { version: 1, vendor: 'terse', validate: (value: unknown) => ({ value }) },
};

const malformed: Readonly<Record<string, () => unknown>> = {
  'a tool that is nothing': () => defineTool(undefined as never),
  'a tool without a name': without('name'),
  'a tool with a space in its name': tool({ name: 'pay back' }),
  'a tool whose name ends in a line break': tool({ name: 'refund\n' }),
  'a tool whose name is too long': tool({ name: 'r'.repeat(65) }),
  "a tool whose name is Temporal's own": tool({ name: '__temporal_refund' }),
  'a tool without a description': without('description'),
  'a tool with a blank description': tool({ description: '  \n' }),
  'a tool without an effect': without('effect'),
  'a tool with an effect that is no word of ours': tool({ effect: 'write' }),
  'a tool without execute': without('execute'),
  'a tool whose execute is no function': tool({ execute: 'refund' }),
  'a tool without a schema': without('inputSchema'),
  'a schema that is text': withSchema('object'),
  'a schema that is true': withSchema(true),
  'a zod schema that is no object': withSchema(z.string()),
  'a zod union at the root': withSchema(
    z.discriminatedUnion('kind', [
      z.object({ kind: z.literal('all') }),
      z.object({ kind: z.literal('part'), amount: z.number() }),
    ]),
  ),
  'zod types that JSON has no form for': withSchema(
    z.object({
      when: z.date(),
      amounts: z.array(z.object({ cents: z.bigint() })),
      names: z.map(z.string(), z.string()),
    }),
  ),
  'a schema of a library that has no JSON Schema': withSchema(speechless),
  'a JSON Schema without a type': withSchema({ properties: { orderId: { type: 'string' } } }),
  'a JSON Schema of an array': withSchema({ type: 'array', items: { type: 'string' } }),
  'a JSON Schema with anyOf at the root': withSchema({
    type: 'object',
    anyOf: [{ required: ['a'] }, { required: ['b'] }],
  }),
  'a type that is none, deep inside': withSchema({
    type: 'object',
    properties: { items: { type: 'array', items: { properties: { n: { type: 'int' } } } } },
  }),
  'several errors in one schema': withSchema({
    type: 'object',
    properties: { a: { enum: 'x' }, b: { minimum: 'one' } },
    required: 'a',
  }),
  'a reference that leads nowhere': withSchema({
    type: 'object',
    properties: { order: { $ref: '#/$defs/Order' } },
  }),
  'a pattern that is no regular expression': withSchema({
    type: 'object',
    properties: { id: { type: 'string', pattern: '[a-' } },
  }),
  'a draft that we do not know': withSchema({
    $schema: 'http://json-schema.org/draft-04/schema#',
    type: 'object',
  }),
  'a schema that contains itself': withSchema(cyclic),
  'a property name that model APIs refuse': withSchema({
    type: 'object',
    properties: { order: { type: 'object', properties: { 'pay back': { type: 'boolean' } } } },
  }),
  'a negative timeout': tool({ timeout: -1 }),
  'a timeout of zero': tool({ timeout: '0s' }),
  'a timeout that is no duration': tool({ timeout: 'soon' }),
  'a timeout that no timer holds': tool({ timeout: '60 days' }),
  'retries of a once tool': tool({ retry: { attempts: 3 } }),
  'retries that make no sense': tool({
    effect: 'read',
    retry: { attempts: 0, initialInterval: 'x', backoff: 0.5, maxInterval: '1m' },
  }),
  'needsApproval that is a word': tool({ needsApproval: 'always' }),
  'approval options that make no sense': tool({
    approval: {
      timeout: '1h',
      expire: 'approve',
      quorum: 0,
      notBy: 'me',
      escalate: [{ after: '5m' }],
    },
  }),
  'a reminder after the expiry': tool({
    approval: {
      timeout: '1h',
      remindAfter: '2h',
      escalate: [{ after: '90m', askedOf: 'the head of support' }],
    },
  }),
  'an option that is misspelt': tool({ needApproval: true }),
  'an option that another library has': tool({ handler: () => 'done', parameters: {} }),
  'capabilities and sizes of the wrong kind': tool({
    capabilities: 'payments',
    maxResultChars: 1.5,
    completion: 'never',
    dangerous: 'yes',
    taskQueue: '',
  }),
  'everything wrong with one tool at once': () =>
    defineTool({
      name: 'no no',
      effect: 'maybe',
      timeout: 0,
      inputSchema: { type: 'strin' },
    } as never),
  'an agent with a dot in its name': agent({ name: 'support.bot' }),
  'an agent whose name is reserved': agent({ name: 'constructor' }),
  'an agent without a model': agent({ model: undefined }),
  'an agent with an empty list of models': agent({ model: [] }),
  'an agent whose model is a name': agent({ model: ['claude', scripted([])] }),
  'an agent without instructions': agent({ instructions: ' ' }),
  'tools that are not made by defineTool': agent({ tools: [order, { name: 'x' }, [undefined]] }),
  'two tools of one name, one in a tool set': agent({ tools: [order, [order]] }),
  'a tool with the name of a hosted tool': agent({
    tools: [order],
    hostedTools: [{ type: 'search_2025', name: 'find_order' }],
  }),
  'a hosted tool that is declared twice': agent({
    hostedTools: [
      { type: 'search_2025', name: 'search' },
      { type: 'search_2026', name: 'search' },
    ],
  }),
  'a hosted tool, and a model that has none': agent({
    model: [textProtocol(scripted([]), { id: 'plain' }), scripted([])],
    hostedTools: [{ type: 'search_2025' }],
  }),
  'more tools than model APIs take': agent({
    tools: Array.from({ length: 129 }, (_, n) =>
      defineTool({ ...goodTool, name: `tool_${n}` } as never),
    ),
  }),
  'limits that make no sense': agent({
    limits: { maxSteps: 0, deadline: 'never', maxCost: -1, maxStep: 3 },
  }),
  'an agent option that is misspelt': agent({ onLimits: 'fail', systemPrompt: 'Help.' }),
  'choices that an agent does not have': agent({
    control: 'ask',
    onLimit: 'stop',
    onAgentChange: 'restart',
    maxParallel: 0,
    runAsDecided: 1,
    policy: 'allow',
    modelPatience: 0,
    contextBudget: -5,
    modelOptions: { temperature: Number.NaN },
  }),
  "schemas of an agent's context and answer": agent({
    contextSchema: { type: 'objekt' },
    output: z.string(),
  }),
  'two agents of one name': () => registerAgents([defineAgent(goodAgent), defineAgent(goodAgent)]),
  'an agent that is not made by defineAgent': () => registerAgents([{ name: 'x' } as never]),
  'no agents': () => registerAgents([]),
};

describe('a malformed definition', () => {
  it.each(Object.entries(malformed))('%s: says what, where and the mend', (_, define) => {
    const error = errorOf(define);
    expect(error).toBeInstanceOf(DefinitionError);
    expect(error.message).toMatchSnapshot();
    for (const problem of error.problems) expect(error.message).toContain(problem);
  });

  it('is tried in at least 50 ways', () => {
    expect(Object.keys(malformed).length).toBeGreaterThanOrEqual(50);
  });

  it('is refused for its one fault alone: the same definition without it is taken', () => {
    expect(defineTool(goodTool as never).name).toBe('refund');
    expect(defineAgent(goodAgent).name).toBe('support');
    expect([...registerAgents([defineAgent(goodAgent)]).keys()]).toEqual(['support']);
  });
});

function errorOf(define: () => unknown): DefinitionError {
  try {
    define();
  } catch (error) {
    return error as DefinitionError;
  }
  throw new Error('expected the definition to be refused');
}
