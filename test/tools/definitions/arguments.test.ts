import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { Json } from '../../../src/core/json.ts';
import { defineTool, type InputSchema } from '../../../src/tools/define-tool.ts';
import { validateJson } from '../../../src/tools/schema/validator.ts';

function toolOf(inputSchema: InputSchema) {
  return defineTool({
    name: 'tool',
    description: 'Does something.',
    inputSchema,
    effect: 'read',
    execute: () => null,
  });
}
const schemaOf = (inputSchema: InputSchema) => toolOf(inputSchema).inputSchema;
const judge = (inputSchema: InputSchema, input: Json) => validateJson(schemaOf(inputSchema), input);

describe('judging arguments', () => {
  const schema = z.object({
    id: z.string(),
    count: z.int(),
    note: z.boolean().optional(),
    state: z.enum(['open', 'closed']),
  });

  it('names every problem at once, with its JSON pointer and what came', () => {
    expect(
      judge(schema, { ids: 'x', count: '3', note: 'no', 'a/b~c': 1, state: 'opened' }),
    ).toEqual([
      '/id: is required',
      '/ids: is not known here; did you mean "id"?',
      '/a~1b~0c: is not known here; known: "id", "count", "note", "state"',
      '/count: must be integer, got "3"',
      '/note: must be boolean, got "no"',
      '/state: must be one of "open", "closed", got "opened"',
    ]);
  });

  it('coerces nothing, fills nothing in, drops nothing', () => {
    const input = { id: 'a', count: 1, state: 'open', more: true };
    const before = structuredClone(input);
    expect(judge(schema, input)).toHaveLength(1);
    expect(input).toEqual(before);
    expect(judge(schema, 'text')).toEqual(['(root): must be object, got "text"']);
    expect(judge(schema, null)).toEqual(['(root): must be object, got null']);
  });

  it('stays readable when there are thousands of problems', () => {
    const list = z.object({ ids: z.array(z.string()) });
    const problems = judge(list, { ids: Array.from({ length: 5_000 }, (_, n) => n) });
    expect(problems).toHaveLength(26);
    expect(problems.at(-1)).toBe('… and 4975 more problems');
  });
});

describe('what execute gets', () => {
  it("is zod's output", async () => {
    const tool = toolOf(
      z.object({
        limit: z.number().default(10),
        at: z.iso.date().transform((day) => new Date(day)),
      }),
    );
    expect(await tool.parse({ at: '2026-03-01' })).toEqual({
      value: { limit: 10, at: new Date('2026-03-01') },
    });
  });

  it('has the defaults of a JSON Schema, as a copy', async () => {
    const tool = toolOf({
      type: 'object',
      properties: {
        limit: { type: 'integer', default: 10 },
        sort: { type: 'object', properties: { by: { default: 'date' } }, default: {} },
      },
    });
    const input = { limit: 5 };
    const parsed = await tool.parse(input);
    expect(parsed).toEqual({ value: { limit: 5, sort: { by: 'date' } } });
    expect(input).toEqual({ limit: 5 });
  });

  it('has no default that hides a problem, and none that makes one', async () => {
    const required = {
      type: 'object',
      properties: { limit: { type: 'integer', default: 10 } },
      required: ['limit'],
    };
    expect(judge(required, {})).toEqual(['/limit: is required']);
    const tool = toolOf({
      type: 'object',
      properties: { limit: { type: 'integer', default: 'ten' } },
    });
    expect(await tool.parse({})).toEqual({ value: {} });
  });

  it('is refused with the words of a rule that JSON Schema cannot say', async () => {
    const tool = toolOf(
      z
        .object({ from: z.number(), to: z.number() })
        .refine(({ from, to }) => from < to, { error: 'must be before to', path: ['from'] }),
    );
    expect(validateJson(tool.inputSchema, { from: 2, to: 1 })).toEqual([]);
    expect(await tool.parse({ from: 2, to: 1 })).toEqual({
      problems: ['/from: must be before to'],
    });
  });

  it('is refused because the tool has changed, when it takes other arguments than it did', async () => {
    const changed = toolOf(z.object({ orderId: z.string() }));
    expect(await changed.parse({ order: 'A-1' })).toEqual({
      problems: [
        'the tool has changed since this conversation began and does not take these arguments any more',
        '/orderId: is required',
        '/order: is not known here; did you mean "orderId"?',
      ],
    });
  });

  it.each([
    ['an error', new TypeError('no registry'), 'TypeError: no registry'],
    ['what is no text', Object.create(null), 'not an error but the value {}'],
  ])('is refused when the code of the schema throws %s', async (_, thrown: unknown, words) => {
    const tool = toolOf(
      z.object({
        id: z.string().transform(() => {
          throw thrown;
        }),
      }),
    );
    expect(await tool.parse({ id: 'a' })).toEqual({
      problems: [`(root): the schema's own code failed: ${words}`],
    });
  });
});
