import { describe, expect, test } from 'vitest';
import { createRunningCalls } from '../../../src/activities/running-calls.ts';
import { buildTool, deferred, Harness } from './harness.ts';

describe('heartbeats', () => {
  test('go on by themselves, also before the tool begins, until the end', async () => {
    const finish = deferred();
    const harness = new Harness(
      buildTool(() => undefined, {
        parse: async (value) => {
          await finish.promise;
          return { value };
        },
      }),
    );
    const output = harness.call({}, harness.activity({ heartbeatTimeoutMs: 400 }));
    await expect.poll(() => harness.heartbeats.length).toBeGreaterThan(3);
    finish.resolve();
    await output;
    const atEnd = harness.heartbeats.length;
    await new Promise((resolve) => setTimeout(resolve, 250));
    expect(harness.heartbeats).toHaveLength(atEnd);
  });

  test('say which worker runs which tools', async () => {
    const finish = deferred();
    const harness = new Harness(buildTool(() => finish.promise));
    const output = harness.call({}, harness.activity({ heartbeatTimeoutMs: 200 }));
    await expect
      .poll(() => harness.heartbeats.at(-1))
      .toEqual({ worker: 'worker-1', running: ['refund_order'] });
    finish.resolve();
    await output;
  });
});

function holdLoop(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

describe('a tool that holds the event loop', () => {
  function harnessFor(execute: Parameters<typeof buildTool>[0]) {
    const words: string[] = [];
    const running = createRunningCalls({
      blockedLoopMs: 300,
      onBlocked: (reported) => void words.push(reported),
    });
    return { words, harness: new Harness(buildTool(execute), { running }) };
  }

  test('is named to the log and in its failure', async () => {
    const { words, harness } = harnessFor(() => {
      holdLoop(700);
      throw new Error('bad sum');
    });
    const output = await harness.call();
    expect(words).toEqual([
      expect.stringMatching(
        /^The worker's event loop stood still for \d\.\d s, by the tool "refund_order"\.$/,
      ),
    ]);
    expect(output.content).toContain(`Error: bad sum\n${words[0]}`);
    expect(harness.logs).toContainEqual(
      expect.objectContaining({ level: 'WARN', message: words[0] }),
    );
  });

  test('is told from a neighbour that only waits', async () => {
    const { words, harness } = harnessFor(() => holdLoop(700));
    const finish = deferred();
    const innocent = new Harness(
      buildTool(() => finish.promise, { name: 'find_order' }),
      { running: harness.running },
    );
    const waiting = innocent.call();
    await harness.call();
    finish.resolve();
    await waiting;
    expect(words).toEqual([expect.stringContaining('by the tool "refund_order"')]);
  });

  test('after its first await is one of those that were running', async () => {
    const { words, harness } = harnessFor(async () => {
      await new Promise((resolve) => setTimeout(resolve, 20));
      holdLoop(700);
      await new Promise((resolve) => setTimeout(resolve, 20));
    });
    const finish = deferred();
    const neighbour = new Harness(
      buildTool(() => finish.promise, { name: 'find_order' }),
      { running: harness.running },
    );
    const waiting = neighbour.call();
    await harness.call();
    finish.resolve();
    await waiting;
    expect(words).toEqual([
      expect.stringContaining('by one of the tools "find_order", "refund_order"'),
    ]);
  });

  test('for a short while only is nobody to be named', async () => {
    const { words, harness } = harnessFor(() => holdLoop(50));
    await harness.call();
    expect(words).toEqual([]);
  });
});

describe('the calls that run', () => {
  test('are known to the worker, and the last once call is waited for', async () => {
    const running = createRunningCalls();
    await running.onceCallsDone();
    const first = running.begin({ tool: 'a', key: 'k/1.1.0.x' });
    const second = running.begin({ tool: 'b', key: 'k/1.1.1.x' });
    const third = running.begin({ tool: 'c', key: 'k/1.1.2.x' });
    second.setEffect('once');
    third.setEffect('read');
    expect(running.calls.map(({ tool }) => tool)).toEqual(['a', 'b', 'c']);
    const steps: string[] = [];
    const done = running.onceCallsDone().then(() => steps.push('done'));
    await Promise.resolve();
    second.end();
    await Promise.resolve();
    steps.push('second ended');
    first.setEffect('read');
    await done;
    expect(steps).toEqual(['second ended', 'done']);
    first.end();
    third.end();
    expect(running.calls).toEqual([]);
  });
});
