import { expect, test } from 'vitest';
import { createEventSink, type EventSinkSettings } from '../../src/streams/create-event-sink.ts';
import { textEvent } from './contract.ts';

const settings: readonly EventSinkSettings[] = [
  { kind: 'file', directory: 'somewhere' },
  { kind: 'redis', url: 'redis://127.0.0.1:1' },
  { kind: 'none' },
];

test.each(settings)('makes a sink of kind $kind', async (each) => {
  const sink = createEventSink(each);
  expect(sink.kind).toBe(each.kind);
  await sink.close();
});

test('an unknown kind is refused, naming those that are known', () => {
  const unknown: EventSinkSettings = JSON.parse('{"kind":"carrier pigeon"}');
  expect(() => createEventSink(unknown)).toThrow(
    'expected an event sink of kind "file", "redis" or "none", got "carrier pigeon"',
  );
});

test('the sink "none" keeps nothing, and its watchers wait until they give up', async () => {
  const sink = createEventSink({ kind: 'none' });
  sink.publish('c', [textEvent('lost')]);
  await sink.flush();
  const controller = new AbortController();
  const next = sink.subscribe('c', { signal: controller.signal })[Symbol.asyncIterator]().next();
  setImmediate(() => controller.abort());
  expect(await next).toEqual({ done: true, value: undefined });
  const aborted = sink.subscribe('c', { signal: AbortSignal.abort() });
  expect(await aborted[Symbol.asyncIterator]().next()).toEqual({ done: true, value: undefined });
  await sink.deleteConversation('c');
  expect(sink.failures).toBe(0);
});
