import { isJsonObject, type Json, type JsonObject } from '../../core/json.ts';
import { addUsage, type Usage } from '../../core/usage.ts';

/** Iterations of these types are in the top-level figures; all others are billed beside them. */
const COUNTED_ITERATIONS: readonly Json[] = ['message', 'fallback_message'];

/** The API's usage in our words. `input_tokens` is the uncached part already. */
export function usageOf(usage: JsonObject): Usage {
  const beside = Array.isArray(usage['iterations']) ? (usage['iterations'] as Json[]) : [];
  return beside
    .filter(isJsonObject)
    .filter((iteration) => !COUNTED_ITERATIONS.includes(iteration['type'] ?? null))
    .map(figuresOf)
    .reduce(addUsage, figuresOf(usage));
}

function figuresOf(usage: JsonObject): Usage {
  const details = isJsonObject(usage['output_tokens_details'])
    ? usage['output_tokens_details']
    : {};
  return {
    input: count(usage['input_tokens']),
    cacheRead: count(usage['cache_read_input_tokens']),
    cacheWrite: count(usage['cache_creation_input_tokens']),
    output: count(usage['output_tokens']),
    reasoning: count(details['thinking_tokens']),
  };
}

function count(value: Json | undefined): number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : 0;
}
