import * as z from 'zod';
import type { $ZodType } from 'zod/v4/core';
import { isJsonObject, type Json, type JsonObject } from '../../core/json.ts';
import { pointerTo } from '../json-pointer.ts';
import { walkSchema } from './walk-schema.ts';

export function isZodSchema(schema: object): schema is $ZodType {
  return '_zod' in schema;
}

/**
 * What a zod schema takes as input, as JSON Schema 2020-12, or all its parts that JSON has no form
 * for. An object that says nothing of further properties refuses them: zod would drop what the
 * model sent without a word.
 */
export function zodToJsonSchema(
  schema: $ZodType,
): { readonly document: JsonObject } | { readonly problems: readonly string[] } {
  const problems: string[] = [];
  const closed = convert(schema, true, problems);
  if (problems.length > 0) return { problems };
  // Closed members of an intersection that zod could not fold would allow nothing at all.
  const folded = ![...walkSchema(closed)].some((part) => 'allOf' in part.schema);
  return { document: withoutRootReference(folded ? closed : convert(schema, false, [])) };
}

function convert(schema: $ZodType, close: boolean, problems: string[]): JsonObject {
  try {
    const { $schema: _dialect, ...converted } = z.toJSONSchema(schema, {
      io: 'input',
      unrepresentable: ({ path, message }) => {
        problems.push(`${pointerTo(path)}: ${message}${mendOf(message)}`);
        return 'any';
      },
      override: ({ zodSchema, jsonSchema }) => {
        const definition = zodSchema._zod.def;
        if (close && definition.type === 'object' && definition.catchall === undefined) {
          jsonSchema.additionalProperties ??= false;
        }
        oneJudgeOfFormat(jsonSchema);
      },
    });
    return JSON.parse(JSON.stringify(converted)) as JsonObject;
  } catch (error) {
    problems.push(`(root): zod cannot say it as JSON Schema: ${(error as Error).message}`);
    return {};
  }
}

/**
 * zod says a format twice, by its name and by a pattern of hundreds of characters that costs tokens
 * and tells a model nothing. The name stays, unless the author asked for something else than the
 * usual (a local time, an e-mail address with umlauts): then only the pattern knows.
 */
function oneJudgeOfFormat(schema: { format?: string; pattern?: string }): void {
  if (schema.format === undefined || schema.pattern === undefined) return;
  const usual = usualPatterns().get(schema.format);
  if (usual === undefined) return;
  if (usual.has(schema.pattern)) delete schema.pattern;
  else delete schema.format;
}

let patterns: ReadonlyMap<string, ReadonlySet<string>> | undefined;

function usualPatterns(): ReadonlyMap<string, ReadonlySet<string>> {
  if (patterns !== undefined) return patterns;
  const usual = new Map<string, Set<string>>();
  const ones = [z.email(), z.uuid(), z.guid(), z.ipv4(), z.ipv6(), z.hostname()];
  const times = [z.iso.datetime(), z.iso.date(), z.iso.duration()];
  for (const one of [...ones, ...times]) {
    const { format, pattern } = z.toJSONSchema(one);
    if (format === undefined || pattern === undefined) continue;
    usual.set(format, (usual.get(format) ?? new Set()).add(pattern));
  }
  return (patterns = usual);
}

function mendOf(message: string): string {
  if (message.startsWith('Date')) return ': take z.iso.datetime() and transform it';
  if (message.startsWith('BigInt')) return ': take z.string().regex(/^-?\\d+$/) and transform it';
  return ': take what JSON can say and transform it';
}

/** A recursive schema with an id is a reference at its root; model APIs want the object itself there. */
function withoutRootReference(schema: JsonObject): JsonObject {
  const name =
    typeof schema.$ref === 'string' ? /^#\/\$defs\/([^/]+)$/.exec(schema.$ref)?.[1] : undefined;
  const definitions = schema.$defs;
  if (name === undefined || !isJsonObject(definitions)) return schema;
  const target: Json | undefined = definitions[name];
  if (!isJsonObject(target)) return schema;
  const { $ref: _reference, ...rest } = schema;
  return { ...target, ...rest };
}
