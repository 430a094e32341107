import { describe, expect, inject, test } from 'vitest';
import { storm } from './storm.ts';

/** For every change; `npm run faults -- --runs 1000` is the long run. */
const KILLS = 100;
const SEED = 40;

describe('conversations with every kind of tool, whose workers are killed at every point', () => {
  test('all end, no finished step runs again, nothing that acts once acts twice, nothing false is said', async () => {
    const report = await storm({
      kills: KILLS,
      seed: SEED,
      atOnce: 4,
      address: inject('temporalAddress'),
      compiledPath: inject('compiledPath'),
    });
    console.log(report.table);
    expect([...report.problems, ...report.violations]).toEqual([]);
    expect(report).toMatchObject({
      kills: KILLS,
      conversations: { stuck: 0 },
      repeatedSteps: 0,
      repeatedOnce: 0,
      falseOk: 0,
      outcomeUnknown: { unexplained: 0 },
    });
    expect(report.conversations.finished).toBe(report.conversations.begun);
    const hit = report.hits.filter(({ kills }) => kills > 0);
    expect(hit.length).toBeGreaterThan(20);
  }, 900_000);
});
