import { isJsonObject, type Json, type JsonObject } from '../../core/json.ts';
import { escapeSegment } from '../json-pointer.ts';

/** Keywords whose value is a schema (or, in old drafts, a list of them). */
const SINGLE = new Set([
  'additionalItems',
  'additionalProperties',
  'contains',
  'contentSchema',
  'else',
  'if',
  'items',
  'not',
  'propertyNames',
  'then',
  'unevaluatedItems',
  'unevaluatedProperties',
]);
/** Keywords whose value is a list of schemas. */
const LISTS = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems']);
/** Keywords whose value holds schemas by name. */
const MAPS = new Set([
  '$defs',
  'definitions',
  'dependencies',
  'dependentSchemas',
  'patternProperties',
  'properties',
]);

export interface SchemaPart {
  /** A JSON pointer within the document. */
  readonly pointer: string;
  readonly schema: JsonObject;
}

/** Every schema object in a document, the root first; values such as `default` and `enum` are not schemas. */
export function* walkSchema(schema: Json, pointer = ''): Generator<SchemaPart> {
  if (!isJsonObject(schema)) return;
  yield { pointer, schema };
  for (const [keyword, value] of Object.entries(schema)) {
    const here = `${pointer}/${escapeSegment(keyword)}`;
    if (MAPS.has(keyword) && isJsonObject(value)) {
      for (const [name, part] of Object.entries(value)) {
        yield* walkSchema(part, `${here}/${escapeSegment(name)}`);
      }
    } else if ((SINGLE.has(keyword) || LISTS.has(keyword)) && Array.isArray(value)) {
      for (const [n, part] of value.entries()) yield* walkSchema(part, `${here}/${n}`);
    } else if (SINGLE.has(keyword)) {
      yield* walkSchema(value, here);
    }
  }
}

/** A copy of a document in which `rewrite` has replaced each schema object, the innermost first. */
export function rewriteSchema(schema: Json, rewrite: (schema: JsonObject) => JsonObject): Json {
  if (!isJsonObject(schema)) return schema;
  const copy: Record<string, Json> = {};
  for (const [keyword, value] of Object.entries(schema)) {
    if (MAPS.has(keyword) && isJsonObject(value)) {
      copy[keyword] = Object.fromEntries(
        Object.entries(value).map(([name, part]) => [name, rewriteSchema(part, rewrite)]),
      );
    } else if ((SINGLE.has(keyword) || LISTS.has(keyword)) && Array.isArray(value)) {
      copy[keyword] = value.map((part: Json) => rewriteSchema(part, rewrite));
    } else if (SINGLE.has(keyword)) {
      copy[keyword] = rewriteSchema(value, rewrite);
    } else {
      copy[keyword] = value;
    }
  }
  return rewrite(copy);
}
