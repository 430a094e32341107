import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFile,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test, vi } from 'vitest';
import { fileEventSink } from '../../src/streams/file.ts';
import { eventSinkContract, numbered, take, textEvent, textsOf } from './contract.ts';

const scratch = await mkdtemp(join(tmpdir(), 'perdure-events-'));
afterAll(() => rm(scratch, { recursive: true }));
let directories = 0;
const newDirectory = (): string => join(scratch, `events-${++directories}`);

eventSinkContract('file', () => {
  const directory = newDirectory();
  const unreachable = join(scratch, 'a-file', 'events');
  return {
    open: () => fileEventSink({ directory }),
    openUnreachable: () => fileEventSink({ directory: unreachable }),
    publishElsewhere: async (...publication) => {
      const [code] = await once(startPublisher(directory, ...publication), 'exit');
      expect(code).toBe(0);
    },
  };
});
await writeFile(join(scratch, 'a-file'), '');

test('is readable by its owner only', async () => {
  const directory = newDirectory();
  const sink = fileEventSink({ directory });
  sink.publish('c', [textEvent('a')]);
  await sink.flush();
  const mode = async (path: string): Promise<string> =>
    ((await stat(path)).mode & 0o777).toString(8);
  expect(await mode(directory)).toBe('700');
  expect(await mode(join(directory, 'c'))).toBe('700');
  expect(await mode(join(directory, 'c', '1.jsonl'))).toBe('600');
});

test('a torn line, a foreign line and an unfinished one spoil nothing', async () => {
  const directory = newDirectory();
  const sink = fileEventSink({ directory });
  sink.publish('c', [textEvent('before')]);
  await sink.flush();
  const part = join(directory, 'c', '1.jsonl');
  await appendFile(part, 'not json\n{"at":1}\n[]\n\n{"at":"2026-01-01T00:00:00Z","event":{}}\n');
  await appendFile(part, '{"id":"dead.1","at":"2026-01-01T00:00:00Z","event":{"type":"te');
  const watching = take(fileEventSink({ directory }), 'c', 2);
  sink.publish('c', [textEvent('after')]);
  expect(textsOf(await watching)).toEqual(['before', 'after']);
});

test('an unfinished line is shown once it is whole', async () => {
  const directory = newDirectory();
  const sink = fileEventSink({ directory });
  sink.publish('c', [textEvent('a')]);
  await sink.flush();
  const part = join(directory, 'c', '1.jsonl');
  await appendFile(part, '{"id":"x.1","at":"2026-01-01T00:00:00.000Z","event":{"type":"text",');
  const watching = take(sink, 'c', 2);
  await take(sink, 'c', 1);
  await appendFile(part, '"turn":1,"step":1,"text":"b"}}\n');
  expect(textsOf(await watching)).toEqual(['a', 'b']);
});

test('keeps about what it may, and a watcher that fell behind goes on at the oldest kept', async () => {
  const directory = newDirectory();
  const sink = fileEventSink({ directory, maxBytesPerConversation: 2 * 1024 * 1024 });
  sink.publish('c', [textEvent('first')]);
  const [first] = await take(sink, 'c', 1);
  const filler = 'x'.repeat(10_000);
  for (let n = 0; n < 600; n++) {
    sink.publish('c', [textEvent(`${n} ${filler}`)]);
    if (n % 20 === 0) await sink.flush();
  }
  await sink.flush();
  const parts = (await readdir(join(directory, 'c'))).sort();
  expect(parts).toEqual(['5.jsonl', '6.jsonl']);
  const kept = parts.map(async (part) => (await stat(join(directory, 'c', part))).size);
  expect((await Promise.all(kept)).reduce((a, b) => a + b)).toBeLessThan(2.6 * 1024 * 1024);
  const number = (text: string | undefined): number => Number(text?.split(' ')[0]);
  const [oldest] = await take(sink, 'c', 1);
  const start = number(textsOf(oldest ? [oldest] : [])[0]);
  const rest = await take(sink, 'c', 600 - start, first?.offset);
  expect(textsOf(rest).map(number)).toEqual(
    Array.from({ length: 600 - start }, (_, n) => start + n),
  );
  expect(sink.failures).toBe(0);
});

test('several processes fill many parts together: a live watcher and a later one see all, once', async () => {
  const directory = newDirectory();
  const total = 4 * 300;
  const sinks = Array.from({ length: 4 }, () => fileEventSink({ directory }));
  const watching = take(fileEventSink({ directory }), 'c', total);
  const filler = 'y'.repeat(5000);
  await Promise.all(
    sinks.map(async (sink, writer) => {
      for (let n = 0; n < 300; n++) {
        sink.publish('c', [textEvent(`${writer}-${n} ${filler}`)]);
        if (n % 7 === writer) await sink.flush();
      }
      await sink.close();
    }),
  );
  const live = textsOf(await watching).map((text) => text.split(' ')[0]);
  expect(new Set(live).size).toBe(total);
  const later = textsOf(await take(fileEventSink({ directory }), 'c', total));
  expect(later.map((text) => text.split(' ')[0])).toEqual(live);
  expect((await readdir(join(directory, 'c'))).length).toBeGreaterThan(5);
});

test('a writer that is killed leaves what it flushed, and the next one goes on', async () => {
  const directory = newDirectory();
  const child = startPublisher(directory, 'c', 'killed', 1_000_000);
  await once(child, 'message');
  child.kill('SIGKILL');
  await once(child, 'exit');
  const sink = fileEventSink({ directory });
  sink.publish('c', [textEvent('next')]);
  await sink.flush();
  const seen = await takeUntil(sink, 'c', 'next');
  expect(seen.length).toBeGreaterThan(10);
  expect(seen.slice(0, -1)).toEqual(seen.slice(0, -1).map((_, n) => `killed ${n}`));
});

test('a live watcher sees a conversation that is deleted and begins again', async () => {
  const directory = newDirectory();
  const sink = fileEventSink({ directory });
  const other = fileEventSink({ directory });
  const watcher = sink.subscribe('c', { signal: AbortSignal.timeout(20_000) });
  sink.publish('c', numbered(0, 3));
  const seen: string[] = [];
  for await (const event of watcher) {
    seen.push(...textsOf([event]));
    if (seen.length === 3) {
      await other.deleteConversation('c');
      sink.publish('c', numbered(3, 6));
    }
    if (seen.length === 6) break;
  }
  expect(seen).toEqual(textsOf(numbered(0, 6)));
  const stale = await take(sink, 'c', 3, '1.999999');
  expect(textsOf(stale)).toEqual(['3', '4', '5']);
});

test('a silent conversation loses its events in the end', async () => {
  const directory = newDirectory();
  const sink = fileEventSink({ directory });
  sink.publish('old', [textEvent('a')]);
  sink.publish('young', [textEvent('a')]);
  await sink.close();
  const eightDaysAgo = new Date(Date.now() - 8 * 24 * 60 * 60 * 1000);
  await utimes(join(directory, 'old', '1.jsonl'), eightDaysAgo, eightDaysAgo);
  const next = fileEventSink({ directory, maxAge: '7 days' });
  next.publish('new', [textEvent('a')]);
  await vi.waitFor(async () => expect((await readdir(directory)).sort()).toEqual(['new', 'young']));
  await next.close();
});

test('batches: many publications, few writes', async () => {
  const directory = newDirectory();
  const sink = fileEventSink({ directory, batchMs: 50 });
  for (let n = 0; n < 500; n++) sink.publish('c', numbered(n, n + 1));
  expect(await take(sink, 'c', 500)).toHaveLength(500);
  const part = await readFile(join(directory, 'c', '1.jsonl'), 'utf8');
  // Each write begins with a line break of its own.
  expect(part.split('\n').filter((line) => line === '').length).toBeLessThan(10);
});

test.each([{ batchMs: 51 }, { batchMs: -1 }, { batchMs: Number.NaN }, { maxAge: 0 }])(
  'refuses %j',
  (setting) => {
    expect(() => fileEventSink({ directory: newDirectory(), ...setting })).toThrow('expected');
  },
);

function startPublisher(
  directory: string,
  conversationId: string,
  name: string,
  count: number,
): ChildProcess {
  const program = new URL('./publish-events.ts', import.meta.url);
  const settings = JSON.stringify({ kind: 'file', directory });
  return fork(program, [settings, conversationId, name, String(count)], {
    execArgv: ['--import', 'tsx'],
  });
}

async function takeUntil(
  sink: ReturnType<typeof fileEventSink>,
  conversationId: string,
  last: string,
): Promise<readonly string[]> {
  const seen: string[] = [];
  const signal = AbortSignal.timeout(20_000);
  for await (const event of sink.subscribe(conversationId, { signal })) {
    seen.push(...textsOf([event]));
    if (seen.at(-1) === last) return seen;
  }
  throw new Error(`"${last}" did not come; the last was "${seen.at(-1)}"`);
}
