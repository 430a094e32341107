import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { StreamEvent } from '../../src/core/event.ts';
import type { EventSink, PublishedEvent } from '../../src/streams/event-sink.ts';

/** How one kind of event sink is opened. */
export interface EventSinkSetup {
  /** A sink as another process would open it: every call the same place. */
  readonly open: () => EventSink;
  /** A sink whose medium cannot be reached. */
  readonly openUnreachable: () => EventSink;
  /** Publishes from a process of its own: `count` texts `<name> <n>` to the conversation, then ends. */
  readonly publishElsewhere: (conversationId: string, name: string, count: number) => Promise<void>;
}

/** What every event sink promises; each kind runs it against the real thing. */
export function eventSinkContract(name: string, setUp: () => EventSinkSetup): void {
  describe(`event sink "${name}"`, () => {
    let setup: EventSinkSetup;
    let sink: EventSink;
    let count = 0;
    const newId = (): string => `conversation-${++count}`;
    beforeAll(() => {
      setup = setUp();
      sink = setup.open();
    });
    afterAll(async () => {
      await sink.close();
    });

    test('shows what was published, in order, with the time', async () => {
      const id = newId();
      const before = new Date().toISOString();
      sink.publish(id, [textEvent('a'), textEvent('b')]);
      sink.publish(id, [textEvent('c')]);
      const seen = await take(sink, id, 3);
      expect(textsOf(seen)).toEqual(['a', 'b', 'c']);
      expect(new Set(seen.map(({ offset }) => offset)).size).toBe(3);
      for (const { at } of seen) {
        expect(at).toBe(new Date(at).toISOString());
        expect(at >= before && at <= new Date().toISOString()).toBe(true);
      }
    });

    test('gives every kind of event back as it was', async () => {
      const id = newId();
      const events: StreamEvent[] = [
        { type: 'reset', turn: 1, step: 2, attempt: 3 },
        { type: 'text', turn: 1, step: 2, text: 'line\nbreak \u2028 "quoted" \\ 🚀 \u0000' },
        { type: 'progress', key: 'k', activityType: 'scan', patch: [{ op: 'add', path: '/a' }] },
        { type: 'result', key: 'k', tool: 't', outcome: 'ok', preview: 'x'.repeat(200_000) },
      ];
      sink.publish(id, events);
      const seen = await take(sink, id, 4);
      expect(seen.map(({ event }) => event)).toEqual(events);
    });

    test('goes on after an offset, from any of them, with nothing twice and no gap', async () => {
      const id = newId();
      sink.publish(id, numbered(0, 10));
      const all = await take(sink, id, 10);
      for (const [index, { offset }] of all.entries()) {
        sink.publish(id, numbered(10 + index, 11 + index));
        const rest = await take(sink, id, 10, offset);
        expect(textsOf(rest)).toEqual(textsOf(numbered(index + 1, index + 11)));
      }
    });

    test('goes from what is kept to what happens, for several watchers at once', async () => {
      const id = newId();
      sink.publish(id, numbered(0, 50));
      await sink.flush(id);
      const watchers = Array.from({ length: 3 }, () => take(setup.open(), id, 200));
      for (let n = 50; n < 200; n += 10) {
        sink.publish(id, numbered(n, n + 10));
        await sink.flush(id);
      }
      for (const seen of await Promise.all(watchers)) {
        expect(textsOf(seen)).toEqual(textsOf(numbered(0, 200)));
      }
    });

    test('waits for a conversation that has not begun', async () => {
      const id = newId();
      const watching = take(sink, id, 2);
      sink.publish(newId(), [textEvent('of another')]);
      await sink.flush();
      sink.publish(id, numbered(0, 2));
      expect(textsOf(await watching)).toEqual(['0', '1']);
    });

    test('what was flushed is visible to whoever subscribes then', async () => {
      const id = newId();
      for (let n = 0; n < 20; n++) {
        sink.publish(id, numbered(n, n + 1));
        await sink.flush(n % 2 === 0 ? id : undefined);
        expect(await take(setup.open(), id, n + 1)).toHaveLength(n + 1);
      }
    });

    test('a subscription ends when its signal aborts, also while it waits', async () => {
      const id = newId();
      sink.publish(id, numbered(0, 1));
      const controller = new AbortController();
      const seen: string[] = [];
      for await (const { event } of sink.subscribe(id, { signal: controller.signal })) {
        seen.push(...textsOf([event]));
        setImmediate(() => controller.abort());
      }
      expect(seen).toEqual(['0']);
      const silent = sink.subscribe(newId(), { signal: AbortSignal.timeout(50) });
      expect(await silent[Symbol.asyncIterator]().next()).toEqual({ done: true, value: undefined });
      const aborted = sink.subscribe(id, { signal: AbortSignal.abort() });
      expect(await aborted[Symbol.asyncIterator]().next()).toEqual({
        done: true,
        value: undefined,
      });
    });

    test('a watcher that reads slowly or not at all holds up nobody, and misses nothing', async () => {
      const id = newId();
      const stuck = sink.subscribe(id)[Symbol.asyncIterator]();
      sink.publish(id, numbered(0, 1));
      await stuck.next();
      for (let n = 1; n < 3000; n += 100) sink.publish(id, numbered(n, n + 100));
      await sink.flush(id);
      expect(await take(setup.open(), id, 3001)).toHaveLength(3001);
      for (let n = 1; n < 3001; n++)
        expect(textsOf([(await stuck.next()).value.event])).toEqual([`${n}`]);
      await stuck.return?.();
      expect(sink.failures).toBe(0);
    });

    test('several processes publish to one conversation: every event once, each in its order', async () => {
      const id = newId();
      const names = ['one', 'two', 'three'];
      const watching = take(sink, id, 1500);
      await Promise.all(names.map((each) => setup.publishElsewhere(id, each, 500)));
      const live = textsOf(await watching);
      for (const each of names) {
        const own = live.filter((text) => text.startsWith(`${each} `));
        expect(own).toEqual(Array.from({ length: 500 }, (_, n) => `${each} ${n}`));
      }
      expect(textsOf(await take(setup.open(), id, 1500))).toEqual(live);
    });

    test('deletes the events of a conversation, and of no other', async () => {
      const [one, two] = [newId(), newId()];
      sink.publish(one, numbered(0, 5));
      sink.publish(two, numbered(0, 5));
      await sink.flush();
      await sink.deleteConversation(one);
      await sink.deleteConversation(newId());
      expect(await take(sink, two, 5)).toHaveLength(5);
      sink.publish(one, [textEvent('after')]);
      expect(textsOf(await take(sink, one, 1))).toEqual(['after']);
    });

    test('keeps conversations apart whatever their ids', async () => {
      const ids = ['a/b', 'a/../b', '..', 'A', 'a', 'ü 🚀', '\u0000', '*', '長'.repeat(1000)];
      for (const id of ids) sink.publish(id, [textEvent(id)]);
      for (const id of ids) expect(textsOf(await take(sink, id, 1))).toEqual([id]);
    });

    test('refuses an offset that is none', async () => {
      const subscribing = async (): Promise<unknown> =>
        sink.subscribe(newId(), { from: 'yesterday' })[Symbol.asyncIterator]().next();
      await expect(subscribing()).rejects.toThrow('expected an offset');
    });

    test('counts an event that cannot be written, and keeps the others', async () => {
      const id = newId();
      const own = setup.open();
      const circular: unknown[] = [];
      circular.push(circular);
      const bad = { type: 'progress', key: 'k', activityType: 'a', patch: circular } as StreamEvent;
      own.publish(id, [textEvent('x'.repeat(2_000_000)), textEvent('good'), bad]);
      expect(textsOf(await take(own, id, 1))).toEqual(['good']);
      expect(own.failures).toBe(2);
      await own.close();
    });

    test('a medium that cannot be reached neither throws nor holds up, and is counted', async () => {
      const own = setup.openUnreachable();
      own.publish('c', numbered(0, 10));
      await own.flush('c');
      await own.close();
      expect(own.failures).toBe(10);
    });

    test('writes what is waiting when it is closed, and nothing after', async () => {
      const id = newId();
      const own = setup.open();
      own.publish(id, numbered(0, 3));
      await own.close();
      own.publish(id, numbered(3, 4));
      expect(own.failures).toBe(1);
      expect(textsOf(await take(sink, id, 3))).toEqual(['0', '1', '2']);
    });
  });
}

/** The first events of a conversation, within 20 seconds. */
export async function take(
  sink: EventSink,
  conversationId: string,
  count: number,
  from?: string,
): Promise<readonly PublishedEvent[]> {
  const seen: PublishedEvent[] = [];
  const signal = AbortSignal.timeout(20_000);
  const options = from === undefined ? { signal } : { from, signal };
  for await (const event of sink.subscribe(conversationId, options)) {
    seen.push(event);
    if (seen.length === count) return seen;
  }
  throw new Error(`expected ${count} events of "${conversationId}", saw ${seen.length} in time`);
}

export function textEvent(text: string): StreamEvent {
  return { type: 'text', turn: 1, step: 1, text };
}

export function numbered(from: number, to: number): StreamEvent[] {
  return Array.from({ length: to - from }, (_, n) => textEvent(String(from + n)));
}

export function textsOf(events: readonly (PublishedEvent | StreamEvent)[]): string[] {
  return events.map((each) => {
    const event = 'event' in each ? each.event : each;
    return event.type === 'text' ? event.text : `(${event.type})`;
  });
}
