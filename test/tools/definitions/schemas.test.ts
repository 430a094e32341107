import { type } from 'arktype';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import * as mini from 'zod/mini';
import type { Json, JsonObject } from '../../../src/core/json.ts';
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

describe('a zod schema', () => {
  it('becomes the JSON Schema of what it takes, not of what it gives out', () => {
    const schema = schemaOf(
      z.object({
        id: z.string().describe('Of the order'),
        limit: z.int().default(10),
        length: z.string().transform((text) => text.length),
      }),
    );
    expect(schema).toEqual({
      type: 'object',
      properties: {
        id: { type: 'string', description: 'Of the order' },
        limit: {
          type: 'integer',
          default: 10,
          minimum: Number.MIN_SAFE_INTEGER,
          maximum: Number.MAX_SAFE_INTEGER,
        },
        length: { type: 'string' },
      },
      required: ['id', 'length'],
      additionalProperties: false,
    });
  });

  it('refuses arguments that it would drop, and takes them where it says so', () => {
    const shape = { id: z.string() };
    const input = { id: 'a', more: 1 };
    expect(judge(z.object(shape), input)).toEqual(['/more: is not known here; known: "id"']);
    expect(judge(z.strictObject(shape), input)).toHaveLength(1);
    expect(judge(z.looseObject(shape), input)).toEqual([]);
    expect(judge(z.object(shape).catchall(z.string()), input)).toEqual([
      '/more: must be string, got 1',
    ]);
  });

  it('is the same from zod/mini', () => {
    expect(schemaOf(mini.object({ id: mini.string(), n: mini.optional(mini.number()) }))).toEqual(
      schemaOf(z.object({ id: z.string(), n: z.number().optional() })),
    );
  });

  it('may be recursive, named or not', () => {
    const plain = z.object({
      name: z.string(),
      get parts() {
        return z.array(plain).optional();
      },
    });
    const named = z
      .object({
        name: z.string(),
        get parts(): z.ZodOptional<z.ZodArray<typeof named>> {
          return z.array(named).optional();
        },
      })
      .meta({ id: 'Part' });
    for (const schema of [plain, named]) {
      expect(schemaOf(schema).type).toBe('object');
      expect(judge(schema, { name: 'a', parts: [{ name: 'b', parts: [] }] })).toEqual([]);
      expect(judge(schema, { name: 'a', parts: [{ name: 2 }] })).toEqual([
        '/parts/0/name: must be string, got 2',
      ]);
    }
  });

  it('may be an intersection, of named parts too', () => {
    const named = z.object({ a: z.string() }).meta({ id: 'Named' });
    const both = z.object({ both: z.intersection(named, z.object({ b: z.string() })), one: named });
    expect(judge(both, { both: { a: '1', b: '2' }, one: { a: '3' } })).toEqual([]);
    expect(judge(both, { both: { a: '1' }, one: { a: '3' } })).not.toEqual([]);
  });

  it('says a format by its name alone, and knows formats that were relaxed', () => {
    const schema = schemaOf(
      z.object({ at: z.iso.datetime(), local: z.iso.datetime({ local: true }) }),
    );
    expect(schema.properties).toMatchObject({ at: { type: 'string', format: 'date-time' } });
    expect(JSON.stringify(schema.properties?.['at' as never])).not.toContain('pattern');
    expect(
      validateJson(schema, { at: '2026-01-01T00:00:00Z', local: '2026-01-01T00:00:00' }),
    ).toEqual([]);
    expect(validateJson(schema, { at: 'yesterday', local: 'yesterday' })).toHaveLength(2);
  });

  it('keeps every format of zod usable', () => {
    const formats = z.object({
      date: z.iso.date(),
      time: z.iso.time(),
      duration: z.iso.duration(),
      email: z.email(),
      uuid: z.uuid(),
      url: z.url(),
      ipv4: z.ipv4(),
      ipv6: z.ipv6(),
      cidr: z.cidrv4(),
      base64: z.base64(),
      phone: z.e164(),
      emoji: z.emoji(),
    });
    const input = {
      date: '2028-02-29',
      time: '10:30:00',
      duration: 'P1DT2H',
      email: 'a.b@example.com',
      uuid: '0192d3b0-7d3e-7cc1-8a3b-1b2c3d4e5f60',
      url: 'https://example.com/a?b=c',
      ipv4: '192.0.2.1',
      ipv6: '2001:db8::1',
      cidr: '192.0.2.0/24',
      base64: 'aGVsbG8=',
      phone: '+4930123456',
      emoji: '🙂',
    };
    expect(judge(formats, input)).toEqual([]);
    const wrong = Object.fromEntries(Object.keys(input).map((name) => [name, 'no such thing']));
    const places = judge(formats, wrong).map((problem) => problem.split(':')[0]);
    expect(new Set(places)).toEqual(new Set(Object.keys(input).map((name) => `/${name}`)));
  });
});

describe('another Standard Schema', () => {
  it('is judged by its own JSON Schema and parsed by its own code', async () => {
    const tool = toolOf(type({ city: 'string', when: 'string.date.iso.parse' }));
    expect(tool.inputSchema).toMatchObject({ type: 'object', required: ['city', 'when'] });
    expect(tool.inputSchema.$schema).toBeUndefined();
    expect(await tool.parse({ city: 'Bonn', when: '2026-03-01' })).toEqual({
      value: { city: 'Bonn', when: new Date('2026-03-01') },
    });
  });
});

describe('a JSON Schema', () => {
  const order: JsonObject = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    properties: {
      anything: true,
      nothing: false,
      items: { type: 'array', prefixItems: [{ type: 'string' }], items: { $ref: '#/$defs/item' } },
    },
    $defs: { item: { type: 'object', properties: { sku: { type: 'string', minLength: 3 } } } },
    unevaluatedProperties: false,
  };

  it('is 2020-12 with references and boolean schemas, and need not say so', () => {
    expect(schemaOf(order).$schema).toBeUndefined();
    expect(judge(order, { anything: [1, 2], items: ['a', { sku: 'abc' }] })).toEqual([]);
    expect(judge(order, { nothing: 1, items: [1, { sku: 'a' }], more: 2 })).toEqual([
      '/nothing: is not allowed, whatever its value',
      '/items/0: must be string, got 1',
      '/items/1/sku: must NOT have fewer than 3 characters, got "a"',
      '/more: is not known here; known: "anything", "nothing", "items"',
    ]);
  });

  it('may be draft-07, and is then read as draft-07', () => {
    const tuple: JsonObject = {
      type: 'object',
      properties: { pair: { type: 'array', items: [{ type: 'string' }, { type: 'number' }] } },
    };
    const draft07 = { $schema: 'http://json-schema.org/draft-07/schema#', ...tuple };
    expect(schemaOf(draft07).$schema).toBe('http://json-schema.org/draft-07/schema#');
    expect(judge(draft07, { pair: ['a', 'b'] })).toEqual(['/pair/1: must be number, got "b"']);
    expect(() => toolOf(tuple)).toThrow('/properties/pair/items');
  });

  it('is a frozen copy: what happens to the original later changes nothing', () => {
    const original = { type: 'object', properties: { id: { type: 'string' } } };
    const schema = schemaOf(original);
    original.properties.id.type = 'number';
    expect(() => Object.assign(schema, { type: 'array' })).toThrow(TypeError);
    const { properties } = schema as typeof original;
    expect(() => Object.assign(properties, { more: true })).toThrow(TypeError);
    expect(() => Object.assign(properties.id, { type: 'number' })).toThrow(TypeError);
    expect(schema).toEqual({ type: 'object', properties: { id: { type: 'string' } } });
  });

  it('may use an $id that another tool uses too', () => {
    const one = { $id: 'https://example.com/order', type: 'object', properties: { a: true } };
    const two = { $id: 'https://example.com/order', type: 'object', properties: { b: false } };
    expect(judge(one, { a: 1 })).toEqual([]);
    expect(judge(two, { b: 1 })).toHaveLength(1);
  });

  it('has one form for models, in whatever order its keywords are written', () => {
    const entries = Object.entries({
      type: 'object',
      description: 'An order',
      properties: { zip: { type: 'string' }, amount: { minimum: 1, type: 'number' } },
      required: ['zip'],
      additionalProperties: false,
      $defs: { unused: true },
      minProperties: 1,
    } as const);
    const first = JSON.stringify(schemaOf(Object.fromEntries(entries)));
    // The order of the properties is the author's: models fill them in that order.
    expect(first.indexOf('zip')).toBeLessThan(first.indexOf('amount'));
    fc.assert(
      fc.property(fc.shuffledSubarray(entries, { minLength: entries.length }), (shuffled) => {
        expect(JSON.stringify(schemaOf(Object.fromEntries(shuffled)))).toBe(first);
      }),
    );
  });
});
