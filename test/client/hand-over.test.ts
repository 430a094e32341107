import { expect, test } from 'vitest';
import { echo } from '../cli/agents/desk.ts';
import { withWorker } from '../support/with-worker.ts';

const MESSAGES = 60;

test('messages sent through many hand-overs are each taken once, and a watcher sees no seam', async () => {
  const internals = { handOver: { bytes: 10_000_000, events: 30 } };
  await withWorker({ agents: [echo], internals }, async ({ client }) => {
    const chat = await client.start('echo', { mode: 'chat' });
    const watching = (async () => {
      const said: unknown[] = [];
      let runs = 0;
      for await (const item of chat.watch()) {
        if (item.kind !== 'recorded') continue;
        const { recorded } = item;
        if (recorded.type === 'started') runs += 1;
        if (recorded.type === 'entry' && recorded.entry.kind === 'user') {
          said.push(recorded.entry.content);
        }
      }
      return { said, runs };
    })();
    const words = Array.from({ length: MESSAGES }, (_, n) => `message ${n}`);
    // In threes at once: some always meet a run that is being handed over.
    for (let n = 0; n < MESSAGES; n += 3) {
      await Promise.all(words.slice(n, n + 3).map((text) => chat.send(text, { id: text })));
    }
    await chat.close();
    await chat.result();
    const { said, runs } = await watching;
    // How many depends on how many messages one turn takes.
    expect(runs).toBeGreaterThan(1);
    expect(said).toHaveLength(MESSAGES);
    expect(new Set(said)).toEqual(new Set(words));
    const entries = await chat.entries();
    const users = entries.flatMap(({ entry }) => (entry.kind === 'user' ? [entry.content] : []));
    expect(users).toEqual(said);
  });
});
