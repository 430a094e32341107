import { messageOf } from '../core/describe-error.ts';
import { insideFence } from '../core/inside-fence.ts';
import type { Json, JsonObject } from '../core/json.ts';
import type { Block } from '../core/model-request.ts';
import { validateJson } from '../tools/schema/validator.ts';

export type StructuredAnswer = { readonly output: Json } | { readonly problems: readonly string[] };

/** Reads the JSON of a final answer, also out of a code fence, and judges it by the agent's schema. */
export function readStructuredAnswer(
  blocks: readonly Block[],
  schema: JsonObject,
): StructuredAnswer {
  const text = blocks
    .map((block) => (block.type === 'text' ? block.text : ''))
    .join('')
    .trim();
  let output: Json;
  try {
    output = JSON.parse(insideFence(text) ?? text) as Json;
  } catch (error) {
    return {
      problems: [`it is not JSON: ${messageOf(error)}`],
    };
  }
  const problems = validateJson(schema, output);
  return problems.length === 0 ? { output } : { problems };
}
