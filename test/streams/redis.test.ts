import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { afterAll, describe, expect, test } from 'vitest';
import type { EventSink } from '../../src/streams/event-sink.ts';
import { redisEventSink } from '../../src/streams/redis.ts';
import { eventSinkContract, numbered, take, textEvent, textsOf } from './contract.ts';
import { startProxy } from './start-proxy.ts';
import { startRedis } from './start-redis.ts';

const server = await startRedis();
const url = server?.url ?? '';
afterAll(() => server?.remove());
const unreachable = 'redis://127.0.0.1:1';

describe.skipIf(server === undefined)('on Redis', () => {
  let prefixes = 0;
  const newPrefix = (): string => `test-${++prefixes}:`;

  eventSinkContract('redis', () => {
    const prefix = newPrefix();
    return {
      open: () => redisEventSink({ url, prefix }),
      openUnreachable: () => redisEventSink({ url: unreachable }),
      publishElsewhere: async (conversationId, name, count) => {
        const program = new URL('./publish-events.ts', import.meta.url);
        const settings = JSON.stringify({ kind: 'redis', url, prefix });
        const child = fork(program, [settings, conversationId, name, `${count}`], {
          execArgv: ['--import', 'tsx'],
        });
        const [code] = await once(child, 'exit');
        expect(code).toBe(0);
      },
    };
  });

  test('keeps one stream per conversation, named as documented, that expires', async () => {
    const sink = redisEventSink({ url, prefix: 'documented:', maxAge: '1 hour' });
    sink.publish('order/42', [textEvent('x')]);
    await sink.close();
    const entries = await command((redis) =>
      redis.xrange('documented:events:order%2f42', '-', '+'),
    );
    expect(entries).toHaveLength(1);
    const ttl = await command((redis) => redis.pttl('documented:events:order%2f42'));
    expect(ttl).toBeGreaterThan(3_000_000);
    expect(ttl).toBeLessThanOrEqual(3_600_000);
  });

  test('keeps about what it may; an offset that is gone goes on at the oldest kept', async () => {
    const sink = redisEventSink({ url, prefix: newPrefix(), maxEventsPerConversation: 100 });
    sink.publish('c', [textEvent('first')]);
    const [first] = await take(sink, 'c', 1);
    sink.publish('c', numbered(0, 1000));
    await sink.flush();
    const rest = textsOf(await takeUntil(sink, 'c', '999', first?.offset));
    expect(rest.length).toBeGreaterThanOrEqual(100);
    expect(rest.length).toBeLessThan(300);
    const start = 1000 - rest.length;
    expect(rest).toEqual(textsOf(numbered(start, 1000)));
    await sink.close();
  });

  test('an entry of somebody else in the stream is passed over', async () => {
    const prefix = newPrefix();
    const sink = redisEventSink({ url, prefix });
    sink.publish('c', [textEvent('a')]);
    await sink.flush();
    const key = `${prefix}events:c`;
    await command((redis) => redis.xadd(key, '*', 'foreign', 'x'));
    await command((redis) => redis.xadd(key, '*', 'at', 'x', 'event', '{broken'));
    sink.publish('c', [textEvent('b')]);
    expect(textsOf(await take(sink, 'c', 2))).toEqual(['a', 'b']);
    await sink.close();
  });

  test('while Redis is away nobody waits; then what waited is shown, to a watcher from before', async () => {
    const sink = redisEventSink({ url, prefix: newPrefix() });
    const watching = take(sink, 'c', 30);
    sink.publish('c', numbered(0, 10));
    await take(sink, 'c', 10);
    await server?.stop();
    // Until the sink knows that Redis is away, what it sends may have arrived, and is not sent again.
    sink.publish('before', numbered(0, 1));
    await expect.poll(() => resolvesAtOnce(sink.flush('before')), { timeout: 5000 }).toBe(true);
    sink.publish('c', numbered(10, 20));
    await expect.poll(() => resolvesAtOnce(sink.flush('c')), { timeout: 5000 }).toBe(true);
    await server?.start();
    sink.publish('c', numbered(20, 30));
    expect(textsOf(await watching)).toEqual(textsOf(numbered(0, 30)));
    expect(sink.failures).toBeLessThanOrEqual(1);
    await sink.close();
  });

  test(
    'a Redis that hangs costs a bounded wait and shows nothing twice',
    { timeout: 60_000 },
    async () => {
      const sink = redisEventSink({ url, prefix: newPrefix() });
      sink.publish('c', numbered(0, 5));
      await take(sink, 'c', 5);
      server?.pause();
      sink.publish('c', numbered(5, 10));
      await sink.flush();
      sink.publish('c', numbered(10, 15));
      server?.resume();
      sink.publish('c', [textEvent('end')]);
      const seen = textsOf(await takeUntil(sink, 'c', 'end'));
      expect(seen).toEqual([...textsOf(numbered(0, 15)), 'end']);
      await sink.close();
    },
  );

  test(
    'Redis is killed again and again: nothing twice, nothing out of order, each loss counted',
    {
      timeout: 60_000,
    },
    async () => {
      const sink = redisEventSink({ url, prefix: newPrefix(), batchMs: 1 });
      const watching = takeUntil(sink, 'c', 'end');
      let published = 0;
      const publishing = setInterval(() => {
        sink.publish('c', numbered(published, published + 5));
        published += 5;
      }, 1);
      for (let kills = 0; kills < 6; kills++) {
        const target = published + 200;
        await expect.poll(() => published, { timeout: 10_000 }).toBeGreaterThan(target);
        await server?.kill();
        await server?.start();
      }
      clearInterval(publishing);
      sink.publish('c', [textEvent('end')]);
      const seen = textsOf(await watching)
        .slice(0, -1)
        .map(Number);
      expect(seen).toEqual([...new Set(seen)].sort((a, b) => a - b));
      expect(seen.length + sink.failures).toBeGreaterThanOrEqual(published);
      expect(seen.length).toBeGreaterThan(published / 2);
      await sink.close();
    },
  );

  test(
    'the oldest go when more waits than memory may hold, and each is counted',
    { timeout: 30_000 },
    async () => {
      const sink = redisEventSink({ url, prefix: newPrefix() });
      sink.publish('c', [textEvent('before')]);
      await take(sink, 'c', 1);
      await server?.stop();
      const filler = 'x'.repeat(100_000);
      for (let n = 0; n < 150; n++) sink.publish('c', [textEvent(`${n} ${filler}`)]);
      const dropped = sink.failures;
      expect(dropped).toBeGreaterThan(60);
      expect(dropped).toBeLessThan(80);
      await server?.start();
      sink.publish('c', [textEvent('end')]);
      const seen = textsOf(await takeUntil(sink, 'c', 'end')).map((text) => text.split(' ')[0]);
      const kept = Array.from({ length: 150 - dropped }, (_, n) => String(n + dropped));
      expect(seen).toEqual(['before', ...kept, 'end']);
      await sink.close();
    },
  );

  test('a connection that breaks before the answer: what may have arrived is not sent again', async () => {
    const prefix = newPrefix();
    const direct = redisEventSink({ url, prefix });
    const proxy = await startProxy(url);
    const sink = redisEventSink({ url: proxy.url, prefix });
    sink.publish('c', [textEvent('a')]);
    await sink.flush();
    const cut = proxy.cutNextAnswer();
    sink.publish('c', [textEvent('b')]);
    await cut;
    expect(textsOf(await take(direct, 'c', 2))).toEqual(['a', 'b']);
    sink.publish('c', [textEvent('c')]);
    expect(textsOf(await takeUntil(direct, 'c', 'c'))).toEqual(['a', 'b', 'c']);
    await expect.poll(() => sink.failures).toBe(1);
    await Promise.all([sink.close(), direct.close()]);
    await proxy.close();
  });

  test('what is published while a connection ends arrives', { timeout: 30_000 }, async () => {
    const prefix = newPrefix();
    const direct = redisEventSink({ url, prefix });
    const proxy = await startProxy(url);
    const sink = redisEventSink({ url: proxy.url, prefix, batchMs: 0 });
    const rounds = 5;
    const each = 40;
    for (let round = 0; round < rounds; round++) {
      sink.publish('open', [textEvent(`${round}`)]);
      await takeUntil(direct, 'open', `${round}`);
      await sink.flush();
      proxy.endConnections();
      for (let n = 0; n < each; n++) {
        sink.publish(`c${n}`, [textEvent(`${round}`)]);
        void sink.flush(`c${n}`);
        await setImmediate();
      }
    }
    const expected = Array.from({ length: rounds }, (_, round) => `${round}`);
    for (let n = 0; n < each; n++) {
      const seen = textsOf(await takeUntil(direct, `c${n}`, `${rounds - 1}`));
      expect(seen).toEqual(expected);
    }
    await Promise.all([sink.close(), direct.close()]);
    await proxy.close();
  });

  test('a subscription to what is no stream fails, saying so', async () => {
    const prefix = newPrefix();
    const sink = redisEventSink({ url, prefix });
    await command((redis) => redis.set(`${prefix}events:c`, 'text'));
    await expect(take(sink, 'c', 1)).rejects.toThrow('WRONGTYPE');
    sink.publish('c', numbered(0, 3));
    await sink.flush();
    expect(sink.failures).toBe(3);
    await sink.close();
  });
});

test('a deletion on a Redis that cannot be reached fails', { timeout: 20_000 }, async () => {
  const sink = redisEventSink({ url: unreachable });
  await expect(sink.deleteConversation('c')).rejects.toThrow('did not answer');
  await sink.close();
});

async function command<Reply>(run: (redis: Redis) => Promise<Reply>): Promise<Reply> {
  const redis = new Redis(url);
  try {
    return await run(redis);
  } finally {
    redis.disconnect();
  }
}

async function takeUntil(
  sink: EventSink,
  conversationId: string,
  last: string,
  from?: string,
): ReturnType<typeof take> {
  const seen = [];
  const signal = AbortSignal.timeout(20_000);
  const options = from === undefined ? { signal } : { from, signal };
  for await (const event of sink.subscribe(conversationId, options)) {
    seen.push(event);
    if (textsOf([event])[0] === last) return seen;
  }
  throw new Error(`"${last}" did not come, only ${seen.length} events`);
}

/** Before a timer of no delay, so without waiting for anything outside the process. */
async function resolvesAtOnce(promise: Promise<void>): Promise<boolean> {
  const timer = new Promise<boolean>((resolve) => setTimeout(() => resolve(false), 0));
  return Promise.race([promise.then(() => true), timer]);
}
