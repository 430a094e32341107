import { isJsonObject, type Json, type JsonObject } from '../../core/json.ts';
import type { ToolSpec } from '../../core/spec.ts';
import { jsonProblems } from '../../tools/json-problems.ts';
import { validateJson } from '../../tools/schema/validator.ts';
import { inexactIntegers } from './inexact-integers.ts';

/**
 * All problems of a call's arguments, with JSON pointers, by the schema that the conversation began
 * with; or the arguments, known to be a JSON object that every digit and character survives.
 */
export function checkArguments(
  tool: ToolSpec,
  input: Json,
): { readonly problems: readonly string[] } | { readonly input: JsonObject } {
  // Digests and validators would run out of stack, or change what they cannot say.
  const unrecordable = jsonProblems(input);
  if (unrecordable.length > 0) return { problems: unrecordable };
  const problems = [
    ...inexactIntegers(input).slice(0, 25),
    ...validateJson(tool.inputSchema, input),
  ];
  if (problems.length > 0) return { problems };
  return isJsonObject(input) ? { input } : { problems: ['(root): must be an object'] };
}
