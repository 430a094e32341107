import type { Json, JsonObject } from '../../core/json.ts';
import { rewriteSchema } from './walk-schema.ts';

/** What a reader wants to know first. Keywords that are not here follow by the alphabet. */
const FIRST = [
  '$schema',
  '$id',
  '$ref',
  'title',
  'description',
  'type',
  'format',
  'const',
  'enum',
  'properties',
  'required',
  'additionalProperties',
  'items',
  'default',
];
const LAST = ['definitions', '$defs'];

/**
 * A deep-frozen copy whose bytes depend on what the schema says, not on who emitted it: keywords
 * have one order, and `properties` and the like keep their author's, which models follow.
 */
export function orderKeys(schema: JsonObject): JsonObject {
  return deepFreeze(rewriteSchema(structuredClone(schema), ordered)) as JsonObject;
}

function ordered(schema: JsonObject): JsonObject {
  const keywords = Object.keys(schema).sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1));
  return Object.fromEntries(keywords.map((keyword) => [keyword, schema[keyword] as Json]));
}

function rank(keyword: string): number {
  const first = FIRST.indexOf(keyword);
  if (first !== -1) return first;
  const last = LAST.indexOf(keyword);
  return last === -1 ? FIRST.length : FIRST.length + 1 + last;
}

function deepFreeze(value: Json): Json {
  if (typeof value === 'object' && value !== null) {
    for (const part of Object.values(value)) deepFreeze(part as Json);
    Object.freeze(value);
  }
  return value;
}
