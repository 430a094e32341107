import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { memoryDefaults, smallerLimit, usableMemory } from '../../src/worker/memory-defaults.ts';
import { resolveSettings } from '../../src/worker/worker-settings.ts';

const MiB = 1024 ** 2;
const GiB = 1024 ** 3;

/** Node's own heap limit: half of a small machine, 4 GiB of a large one. */
const sized = (memoryBytes: number) =>
  memoryDefaults({ memoryBytes, heapBytes: Math.min(memoryBytes / 2, 4 * GiB) });

describe('what a worker keeps and does at once', () => {
  test('fits a container of 2 GiB', () => {
    const defaults = sized(2 * GiB);
    expect(defaults).toEqual({
      transcriptCacheBytes: 128 * MiB,
      maxCachedWorkflows: 512,
      maxConcurrentActivities: 204,
    });
  });

  test('grows with the memory, within bounds', () => {
    const sizes = [128 * MiB, GiB, 4 * GiB, 16 * GiB, 1_024 * GiB].map(sized);
    for (const setting of [
      'transcriptCacheBytes',
      'maxCachedWorkflows',
      'maxConcurrentActivities',
    ] as const) {
      const values = sizes.map((defaults) => defaults[setting]);
      expect(values).toEqual(values.toSorted((a, b) => a - b));
    }
    expect(sizes[0]).toEqual({
      transcriptCacheBytes: 16 * MiB,
      maxCachedWorkflows: 50,
      maxConcurrentActivities: 20,
    });
    expect(sizes.at(-1)).toMatchObject({ maxConcurrentActivities: 500 });
  });

  test('fits a heap that was made small on a large machine', () => {
    expect(memoryDefaults({ memoryBytes: 64 * GiB, heapBytes: 512 * MiB })).toMatchObject({
      transcriptCacheBytes: 64 * MiB,
      maxCachedWorkflows: 256,
    });
  });
});

describe('the memory that a worker may use', () => {
  test('is the limit of its container where there is one', () => {
    expect(smallerLimit(2 * GiB, 64 * GiB)).toBe(2 * GiB);
  });

  test.each([undefined, 0, 2 ** 64])("is the machine's when Node says %s of a limit", (none) => {
    expect(smallerLimit(none, 64 * GiB)).toBe(64 * GiB);
  });

  test('is what this process has', () => {
    vi.spyOn(process, 'constrainedMemory').mockReturnValue(3 * GiB);
    onTestFinished(() => void vi.restoreAllMocks());
    expect(usableMemory().memoryBytes).toBeLessThanOrEqual(3 * GiB);
    expect(usableMemory().heapBytes).toBeGreaterThan(0);
  });
});

test('what is configured wins: options over the environment, the environment over the memory', async () => {
  const environment = readConfig({
    HOME: '/nonexistent',
    XDG_CONFIG_HOME: '/nonexistent',
    PERDURE_TRANSCRIPT_CACHE: '1MiB',
    PERDURE_MAX_CACHED_WORKFLOWS: '7',
  });
  const settings = await resolveSettings({ worker: { maxCachedWorkflows: 3 } }, environment);
  expect(settings).toMatchObject({ transcriptCacheBytes: MiB, maxCachedWorkflows: 3 });
  expect(settings.maxConcurrentActivities).toBe(
    memoryDefaults(usableMemory()).maxConcurrentActivities,
  );
});
