import { defineConfig } from 'vitest/config';

const serverTests = [
  'test/server/**/*.test.ts',
  'test/faults/**/*.test.ts',
  'test/client/**/*.test.ts',
  'test/cli/**/*.test.ts',
  'test/embedded-server/**/*.test.ts',
];

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: [...serverTests, 'test/fences/**', 'test/replay/**'],
        },
      },
      {
        test: {
          name: 'sandbox',
          include: ['test/fences/**/*.test.ts', 'test/replay/**/*.test.ts'],
          testTimeout: 120_000,
        },
      },
      {
        test: {
          name: 'server',
          include: serverTests,
          globalSetup: ['test/support/start-server.ts'],
          pool: 'forks',
          maxWorkers: 2,
          testTimeout: 90_000,
          hookTimeout: 90_000,
        },
      },
    ],
  },
});
