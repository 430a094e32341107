import { isJsonObject, type JsonObject } from '../../core/json.ts';
import { escapeSegment } from '../json-pointer.ts';
import { jsonProblems } from '../json-problems.ts';
import { dialectOf, KNOWN_DIALECTS } from './dialect.ts';
import { compileSchema, metaSchemaErrors } from './validator.ts';
import { walkSchema } from './walk-schema.ts';

/** Model APIs take no other names for arguments. */
const PROPERTY_NAME = /^[A-Za-z0-9_.-]{1,64}$/;

export type SchemaRoot = 'object' | 'any';

/**
 * Why a value cannot serve as a schema, each with the JSON pointer of the place and the mend.
 * `root: 'object'` adds what model APIs demand of a tool's input schema.
 */
export function schemaProblems(schema: unknown, root: SchemaRoot): string[] {
  if (!isJsonObject(schema)) {
    return [
      `expected a zod object, another Standard Schema, or a JSON Schema object, got ${kindOf(schema)}`,
    ];
  }
  const unrecordable = jsonProblems(schema);
  if (unrecordable.length > 0) return unrecordable;
  const dialect = dialectOf(schema);
  if (dialect === undefined) {
    const known = KNOWN_DIALECTS.join(', ');
    return [
      `/$schema: expected one of ${known}, or none (2020-12), got ${JSON.stringify(schema.$schema)}`,
    ];
  }
  const problems = [...malformed(schema, dialect), ...badPatterns(schema)];
  if (problems.length === 0) problems.push(...notCompiled(schema));
  return root === 'object' ? [...problems, ...notForTools(schema)] : problems;
}

/** The first error at each place; the others say the same of the branches of the meta-schema. */
function malformed(schema: JsonObject, dialect: NonNullable<ReturnType<typeof dialectOf>>) {
  const byPlace = new Map<string, string>();
  for (const { instancePath, keyword, message, params } of metaSchemaErrors(schema, dialect)) {
    if (byPlace.has(instancePath)) continue;
    const allowed =
      keyword === 'enum'
        ? `must be one of ${(params.allowedValues as string[]).join(', ')}`
        : message;
    byPlace.set(instancePath, `${instancePath || '(root)'}: ${allowed ?? 'is not JSON Schema'}`);
  }
  return [...byPlace.values()];
}

function badPatterns(schema: JsonObject): string[] {
  const problems: string[] = [];
  for (const part of walkSchema(schema)) {
    const patterns = isJsonObject(part.schema.patternProperties)
      ? Object.keys(part.schema.patternProperties).map((pattern) => ({
          pattern,
          at: `${part.pointer}/patternProperties/${escapeSegment(pattern)}`,
        }))
      : [];
    if (typeof part.schema.pattern === 'string') {
      patterns.push({ pattern: part.schema.pattern, at: `${part.pointer}/pattern` });
    }
    for (const { pattern, at } of patterns) {
      try {
        new RegExp(pattern, 'u');
      } catch (error) {
        problems.push(`${at}: ${(error as Error).message}`);
      }
    }
  }
  return problems;
}

function notCompiled(schema: JsonObject): string[] {
  try {
    compileSchema(schema);
    return [];
  } catch (error) {
    const message = (error as Error).message;
    const missing = (error as { readonly missingRef?: unknown }).missingRef;
    const places = [...walkSchema(schema)].filter(
      (part) => typeof part.schema.$ref === 'string' && part.schema.$ref === missing,
    );
    if (places.length === 0) return [`(root): ${message}`];
    return places.map(
      ({ pointer }) =>
        `${pointer}/$ref: "${String(missing)}" leads nowhere: put what it names under $defs of the same schema`,
    );
  }
}

function notForTools(schema: JsonObject): string[] {
  const problems: string[] = [];
  const combinators = ['oneOf', 'anyOf', 'allOf'].filter((keyword) => keyword in schema);
  for (const keyword of combinators) {
    problems.push(
      `/${keyword}: model APIs take no ${keyword} at the root: put it into a property of an object`,
    );
  }
  if (schema.type !== 'object' && combinators.length === 0) {
    const got = schema.type === undefined ? 'none' : JSON.stringify(schema.type);
    problems.push(`/type: the root must be of type "object", got ${got}: arguments have names`);
  }
  for (const { pointer, schema: part } of walkSchema(schema)) {
    if (!isJsonObject(part.properties)) continue;
    for (const name of Object.keys(part.properties)) {
      if (PROPERTY_NAME.test(name)) continue;
      problems.push(
        `${pointer}/properties/${escapeSegment(name)}: expected a name that matches ${PROPERTY_NAME.source} (model APIs take no other)`,
      );
    }
  }
  return problems;
}

function kindOf(value: unknown): string {
  if (value === undefined || value === null) return String(value);
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'boolean' ? String(value) : `a ${typeof value}`;
}
