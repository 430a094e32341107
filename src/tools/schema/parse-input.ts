import { describeError } from '../../core/describe-error.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import { pointerTo } from '../json-pointer.ts';
import type { StandardIssue, StandardSchema } from './standard-schema.ts';
import { validateJson, withDefaults } from './validator.ts';

const CHANGED =
  'the tool has changed since this conversation began and does not take these arguments any more';

/**
 * What `execute` gets of arguments that a conversation's frozen schema allowed: the output of the
 * schema library, or the arguments with JSON Schema's defaults; always a copy, so that what code does to it
 * changes nothing else. Never throws: today's code may refuse what the frozen schema allowed, and a
 * library may check more than JSON Schema can say.
 */
export async function parseInput(
  jsonSchema: JsonObject,
  standard: StandardSchema | undefined,
  input: Json,
): Promise<{ readonly value: unknown } | { readonly problems: readonly string[] }> {
  const refused = validateJson(jsonSchema, input);
  if (refused.length > 0) return { problems: [CHANGED, ...refused] };
  if (standard === undefined) return { value: withDefaults(jsonSchema, structuredClone(input)) };
  try {
    const result = await standard['~standard'].validate(structuredClone(input));
    return result.issues === undefined
      ? { value: result.value }
      : { problems: result.issues.map(inWords) };
  } catch (error) {
    return { problems: [`(root): the schema's own code failed: ${describeError(error)}`] };
  }
}

function inWords(issue: StandardIssue): string {
  const path = (issue.path ?? []).map((segment) => {
    const key = typeof segment === 'object' ? segment.key : segment;
    return typeof key === 'number' ? key : String(key);
  });
  return `${pointerTo(path)}: ${issue.message}`;
}
