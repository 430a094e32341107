import { describe, expect, test } from 'vitest';
import { isJsonObject, type Json, type JsonObject } from '../../src/core/json.ts';
import type { RequestMessage } from '../../src/core/model-request.ts';
import { buildRequest as buildApiRequest } from '../../src/models/anthropic/build-request.ts';
import { assistantSaid, buildRequest, listIn, toolAnswered, userSays } from './build-request.ts';

/** From a mark, the API looks back over this many blocks for one that it keeps. */
const LOOK_BACK_BLOCKS = 20;
const TOOLS = Array.from({ length: 5 }, (_, n) => ({
  name: `tool_${n}`,
  description: 'Does something that takes many words to describe. '.repeat(10),
  inputSchema: { type: 'object' },
}));

/** The request's blocks in the order of the prefix, and which of them are marked. */
function blocksOf(body: Json): { text: string; isMarked: boolean }[] {
  const messages = listIn(body, 'messages').flatMap((message) => listIn(message, 'content'));
  return [...listIn(body, 'tools'), ...listIn(body, 'system'), ...messages].map((block) => {
    const { cache_control, ...rest }: JsonObject = block;
    return { text: JSON.stringify(rest), isMarked: isJsonObject(cache_control) };
  });
}

/** Keeps what is marked, as the API does; returns the part of a request that was read, in characters. */
class SimulatedCache {
  readonly #kept = new Set<string>();

  read(body: Json): { readonly read: number; readonly total: number } {
    const blocks = blocksOf(body);
    const ends = blocks.map((_, n) =>
      blocks
        .slice(0, n + 1)
        .map(({ text }) => text)
        .join(''),
    );
    let read = 0;
    for (const [index, { isMarked }] of blocks.entries()) {
      if (!isMarked) continue;
      for (let n = index; n >= Math.max(0, index - LOOK_BACK_BLOCKS); n -= 1) {
        const prefix = ends[n] ?? '';
        if (this.#kept.has(prefix)) read = Math.max(read, prefix.length);
      }
    }
    for (const [index, { isMarked }] of blocks.entries()) {
      if (isMarked) this.#kept.add(ends[index] ?? '');
    }
    return { read, total: (ends.at(-1) ?? '').length };
  }
}

function bodyOf(messages: readonly RequestMessage[]): Json {
  const request = buildRequest({ system: 'You help. '.repeat(50), tools: TOOLS, messages });
  const settings = { model: 'm', cache: '5m', modelOptions: {}, now: 0, continued: [] } as const;
  return JSON.parse(JSON.stringify(buildApiRequest(request, settings).body)) as Json;
}

/** One step: a turn with calls, and their results. */
function step(n: number, calls: number): RequestMessage[] {
  const ids = Array.from({ length: calls }, (_, index) => `toolu_${n}_${index}`);
  const content = ids.map((id) => ({ type: 'tool_use', id, name: 'tool_0', input: { n } }));
  const turn = assistantSaid({
    raw: { model: 'm', content },
    format: 'anthropic',
    blocks: [],
    stopReason: 'tool_calls',
    usage: { input: 0, cacheRead: 0, cacheWrite: 0, output: 0, reasoning: 0 },
    model: 'm',
  });
  return [turn, ...ids.map((id) => toolAnswered(id, 'tool_0', `result of ${id}`))];
}

describe('the prompt cache', () => {
  test.each([
    ['one call a step', 1],
    ['more calls a step than the API looks back', 30],
  ])('of a growing conversation gives back all that was sent before: %s', (_name, calls) => {
    const cache = new SimulatedCache();
    const messages: RequestMessage[] = [userSays('Hello')];
    let before = 0;
    for (let n = 0; n < 12; n += 1) {
      const { read, total } = cache.read(bodyOf(messages));
      if (n > 0) expect(read / before).toBeGreaterThanOrEqual(0.95);
      before = total;
      messages.push(...step(n, calls));
    }
  });

  test('keeps the instructions and tools for a conversation that begins anew', () => {
    const cache = new SimulatedCache();
    cache.read(bodyOf([userSays('One'), ...step(0, 1)]));
    const { read } = cache.read(bodyOf([userSays('Another')]));
    expect(read).toBeGreaterThan(2_000);
  });
});
