import type { Block, ModelRequest } from '../core/model-request.ts';
import type { Usage } from '../core/usage.ts';

const CHARACTERS_PER_TOKEN = 4;

/** For services that do not count: four characters a token, marked as an estimate. */
export function estimateUsage(
  { system, tools, messages }: Pick<ModelRequest, 'system' | 'tools' | 'messages'>,
  blocks: readonly Block[],
): Usage {
  return {
    input: tokensOf({ system, tools, messages }),
    cacheRead: 0,
    cacheWrite: 0,
    output: tokensOf(blocks),
    reasoning: 0,
    estimated: true,
  };
}

function tokensOf(value: unknown): number {
  return Math.ceil(JSON.stringify(value).length / CHARACTERS_PER_TOKEN);
}
