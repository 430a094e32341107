import { isJsonObject, type Json, type JsonObject } from '../../core/json.ts';
import type { ApiMessage } from './build-messages.ts';

/** The API takes no more in one request. */
const MAXIMUM_BREAKPOINTS = 4;

export type CacheLifetime = '5m' | '1h';

export interface Cacheable {
  readonly system: JsonObject[];
  readonly tools: JsonObject[];
  readonly messages: readonly ApiMessage[];
}

/**
 * Marks what the API should keep: the end of tools and system, then the last two user messages, so
 * that a step reads what the step before it wrote however many blocks came between. The marks are
 * made at send time only and are no part of the prefix: without them the bytes never change.
 */
export function placeBreakpoints(
  { system, tools, messages }: Cacheable,
  { lifetime, reserved }: { readonly lifetime: CacheLifetime; readonly reserved: number },
): void {
  let left = MAXIMUM_BREAKPOINTS - reserved - tools.filter(isMarked).length;
  const mark = (blocks: JsonObject[]): void => {
    const index = blocks.findLastIndex(canBeMarked);
    const block = blocks[index];
    if (left <= 0 || block === undefined || isMarked(block)) return;
    blocks[index] = { ...block, cache_control: cacheControl(lifetime) };
    left -= 1;
  };
  mark(system.length > 0 ? system : tools);
  const userMessages = messages.filter((message) => message.role === 'user');
  for (const message of userMessages.slice(-2).reverse()) mark(message.content);
}

function cacheControl(lifetime: CacheLifetime): JsonObject {
  return lifetime === '1h' ? { type: 'ephemeral', ttl: '1h' } : { type: 'ephemeral' };
}

function isMarked(block: JsonObject): boolean {
  return isJsonObject(block['cache_control']);
}

function canBeMarked(block: JsonObject): boolean {
  return block['type'] !== 'text' || hasText(block['text']);
}

function hasText(text: Json | undefined): boolean {
  return typeof text === 'string' && text.trim() !== '';
}
