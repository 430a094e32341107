import { isJsonObject, type Json, type JsonObject } from '../../core/json.ts';
import type { Tool } from '../tool.ts';
import { dialectOf } from './dialect.ts';
import { orderKeys } from './order-keys.ts';
import { parseInput } from './parse-input.ts';
import { type SchemaRoot, schemaProblems } from './schema-problems.ts';
import { isStandardSchema, type StandardSchema } from './standard-schema.ts';
import { isZodSchema, zodToJsonSchema } from './zod-to-json-schema.ts';

/**
 * A zod 4 schema (`zod` or `zod/mini`), another Standard Schema that can say its JSON Schema, or a
 * JSON Schema document (2020-12; 2019-09 and draft-07 when `$schema` says so).
 */
export type AnySchema<Input = unknown> = StandardSchema<Input, unknown> | JsonObject;

/** What code gets that declared this schema: the schema library's output, or plain JSON. */
export type OutputOf<Schema> =
  Schema extends StandardSchema<unknown, infer Output> ? Output : JsonObject;

export interface FrozenSchema {
  /** Deep-frozen; judges, and is what models and people see. */
  readonly jsonSchema: JsonObject;
  readonly parse: Tool['parse'];
}

/** The one form in which all of Perdure uses a schema, or everything that is wrong with it. */
export function freezeSchema(
  schema: unknown,
  root: SchemaRoot,
): FrozenSchema | { readonly problems: readonly string[] } {
  const standard = isStandardSchema(schema) ? schema : undefined;
  const made = standard === undefined ? { document: schema } : documentOf(standard);
  if ('problems' in made) return made;
  const { document } = made;
  const problems = schemaProblems(document, root);
  if (problems.length > 0 || !isJsonObject(document)) return { problems };
  const jsonSchema = orderKeys(withoutDialect(document));
  return { jsonSchema, parse: (input: Json) => parseInput(jsonSchema, standard, input) };
}

type Made = { readonly document: unknown } | { readonly problems: readonly string[] };

function documentOf(schema: StandardSchema): Made {
  if (isZodSchema(schema)) return zodToJsonSchema(schema);
  const { vendor, jsonSchema } = schema['~standard'];
  if (vendor === 'zod') return problem('this is a schema of zod 3: take zod 4 (npm install zod@4)');
  if (jsonSchema === undefined) {
    return problem(
      `this ${vendor} schema cannot say its JSON Schema ("~standard".jsonSchema): take a release or an adapter of ${vendor} that can, or write JSON Schema`,
    );
  }
  try {
    return { document: jsonSchema.input({ target: 'draft-2020-12' }) };
  } catch (error) {
    return problem(`${vendor} cannot say it as JSON Schema: ${(error as Error).message}`);
  }
}

function problem(message: string): Made {
  return { problems: [`(root): ${message}`] };
}

/** 2020-12 is what we say without a word; providers need not be told. */
function withoutDialect(schema: JsonObject): JsonObject {
  if (schema.$schema === undefined || dialectOf(schema) !== '2020-12') return schema;
  const { $schema: _dialect, ...rest } = schema;
  return rest;
}
