import { isJsonObject, type Json, type JsonObject } from '../../core/json.ts';
import type { Usage } from '../../core/usage.ts';

/** Their `prompt_tokens` has the cached ones in it; our `input` has not. */
export function usageOf(usage: JsonObject): Usage {
  const prompt = objectIn(usage['prompt_tokens_details']);
  const completion = objectIn(usage['completion_tokens_details']);
  const cacheRead = count(prompt['cached_tokens'] ?? usage['prompt_cache_hit_tokens']);
  const cacheWrite = count(prompt['cache_write_tokens']);
  return {
    input: Math.max(0, count(usage['prompt_tokens']) - cacheRead - cacheWrite),
    cacheRead,
    cacheWrite,
    output: count(usage['completion_tokens']),
    reasoning: count(completion['reasoning_tokens']),
  };
}

function objectIn(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

function count(value: Json | undefined): number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : 0;
}
