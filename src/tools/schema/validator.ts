import { createHash } from 'node:crypto';
import { Ajv } from 'ajv';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import canonicalize from 'canonicalize';
import { isJsonObject, type Json, type JsonObject } from '../../core/json.ts';
import { type Dialect, dialectOf } from './dialect.ts';
import { problemsInWords } from './validation-problem.ts';

/** What Ajv made of one schema: it judges, and it fills in defaults. */
interface Compiled {
  readonly judge: ValidateFunction;
  readonly fill: ValidateFunction;
}

/** Compiled schemas kept: the tools of many agents, and a few more from conversations that began before a deploy. */
const CACHE_ENTRIES = 1_000;
const byDigest = new Map<string, Compiled>();
const digests = new WeakMap<JsonObject, string>();
const metaJudges = new Map<Dialect, ReturnType<typeof ajvOf>>();

/**
 * All problems of a value, with JSON pointers; empty when the schema allows it. The full schema,
 * `format` included; nothing is coerced, filled in or dropped.
 */
export function validateJson(schema: JsonObject, value: Json): string[] {
  const { judge } = compiled(schema);
  return judge(value) === true ? [] : problemsInWords(judge.errors ?? []);
}

/**
 * A valid value with the schema's defaults filled in, as a copy; the value itself where a default
 * would break the schema. `anyOf` and the like fill in nothing.
 */
export function withDefaults(schema: JsonObject, value: Json): Json {
  const { judge, fill } = compiled(schema);
  const copy = structuredClone(value);
  return fill(copy) === true && judge(copy) === true ? copy : value;
}

/** What the dialect's own schema says against this one: Ajv's errors, at pointers into the schema. */
export function metaSchemaErrors(schema: JsonObject, dialect: Dialect): readonly ErrorObject[] {
  const ajv = metaJudges.get(dialect) ?? ajvOf(dialect, {});
  metaJudges.set(dialect, ajv);
  return ajv.validateSchema(schema) === true ? [] : (ajv.errors ?? []);
}

/** Throws what Ajv throws for a reference that leads nowhere or a pattern that is none. */
export function compileSchema(schema: JsonObject): void {
  compiled(schema);
}

function compiled(schema: JsonObject): Compiled {
  const digest = digests.get(schema) ?? digestOfSchema(schema);
  if (Object.isFrozen(schema)) digests.set(schema, digest);
  const known = byDigest.get(digest);
  if (known !== undefined) {
    byDigest.delete(digest);
    byDigest.set(digest, known);
    return known;
  }
  const dialect = dialectOf(schema) ?? '2020-12';
  // An instance of its own: two tools may use the same `$id`.
  const made = {
    judge: ajvOf(dialect, {}).compile(schema),
    fill: ajvOf(dialect, { useDefaults: true }).compile(schema),
  };
  byDigest.set(digest, made);
  const [oldest] = byDigest.keys();
  if (byDigest.size > CACHE_ENTRIES && oldest !== undefined) byDigest.delete(oldest);
  return made;
}

function ajvOf(dialect: Dialect, options: { readonly useDefaults?: true }) {
  const all = {
    ...options,
    allErrors: true,
    coerceTypes: false,
    logger: false,
    removeAdditional: false,
    strict: false,
    validateSchema: false,
    verbose: true,
  } as const;
  const ajv =
    dialect === '2020-12'
      ? new Ajv2020(all)
      : dialect === '2019-09'
        ? new Ajv2019(all)
        : new Ajv(all);
  formats.default(ajv);
  return ajv;
}

function digestOfSchema(schema: JsonObject): string {
  if (!isJsonObject(schema)) throw new TypeError('expected a JSON Schema object');
  return createHash('sha256')
    .update(canonicalize(schema) ?? '')
    .digest('hex');
}
