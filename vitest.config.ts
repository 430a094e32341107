import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/support/longest-first.ts';

const serverTests = [
  'test/server/**/*.test.ts',
  'test/faults/**/*.test.ts',
  'test/client/**/*.test.ts',
  'test/docs/**/*.test.ts',
  'test/cli/**/*.test.ts',
  'test/embedded-server/**/*.test.ts',
];

export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    // On two cores: many files wait more than they compute.
    maxWorkers: 3,
    projects: [
      {
        test: {
          name: 'unit',
          // Files start processes and servers of their own, beside others.
          testTimeout: 30_000,
          hookTimeout: 60_000,
          include: ['test/**/*.test.ts'],
          exclude: [...serverTests, 'test/fences/**', 'test/replay/**'],
        },
      },
      {
        test: {
          name: 'sandbox',
          include: ['test/fences/**/*.test.ts', 'test/replay/**/*.test.ts'],
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
      {
        test: {
          name: 'server',
          include: serverTests,
          globalSetup: ['test/support/start-server.ts'],
          pool: 'forks',
          testTimeout: 90_000,
          hookTimeout: 90_000,
        },
      },
    ],
  },
});
