import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, inject, test } from 'vitest';
import { handOverStorm } from '../hand-overs/storm.ts';

test('a conversation that is talked to, asked and stopped all the time hands over again and again, and loses nothing', async () => {
  const dataDirectory = await mkdtemp(join(tmpdir(), 'perdure-hand-overs-'));
  try {
    const report = await handOverStorm({
      server: {
        address: inject('temporalAddress'),
        workflowBundlePath: inject('workflowBundlePath'),
        compiledPath: inject('compiledPath'),
      },
      dataDirectory,
      handOvers: 30,
      kills: 3,
      log: (line) => console.info(line),
    });
    console.info(report);
    expect(report.problems).toEqual([]);
    expect(report).toMatchObject({ kills: 3 });
    expect(report.handOvers).toBeGreaterThanOrEqual(30);
  } finally {
    await rm(dataDirectory, { recursive: true, force: true });
  }
}, 240_000);
