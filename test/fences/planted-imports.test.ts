import { describe, expect, test } from 'vitest';
import { reportsOf } from './lint-reports.ts';
import { scratchProject } from './scratch-project.ts';

interface Fence {
  readonly folder: string;
  readonly allowed: readonly string[];
  readonly forbidden: readonly string[];
}

/** By folder: what a file in it may import, and what it must not. */
const FENCES: readonly Fence[] = [
  {
    folder: 'src/core',
    allowed: ['./other.ts', 'rfc6902', 'zod/mini', 'ms'],
    forbidden: [
      'node:crypto',
      'fs',
      'zod',
      'canonicalize',
      '@temporalio/common',
      '../workflows/messages.ts',
      '../activities/environment.ts',
      '../models/model.ts',
      '../tools/tool.ts',
      '../blobs/blob-store.ts',
      '../streams/event-sink.ts',
      '../client/index.ts',
      '../config.ts',
    ],
  },
  {
    folder: 'src/workflows',
    allowed: [
      '../core/entry.ts',
      './gate.ts',
      '@temporalio/workflow',
      '@temporalio/common',
      'rfc6902',
    ],
    forbidden: [
      'node:crypto',
      'events',
      'zod',
      '@temporalio/activity',
      '@temporalio/client',
      '@temporalio/worker',
      '../activities/environment.ts',
      '../models/model.ts',
      '../tools/tool.ts',
      '../blobs/blob-store.ts',
      '../streams/event-sink.ts',
      '../client/index.ts',
      '../config.ts',
      '../index.ts',
    ],
  },
  {
    folder: 'src/models/anthropic',
    allowed: ['../../core/entry.ts', '../model.ts', 'node:timers', '@anthropic-ai/sdk'],
    forbidden: [
      '@temporalio/common',
      '@temporalio/activity',
      '../../tools/tool.ts',
      '../../blobs/blob-store.ts',
      '../../streams/event-sink.ts',
      '../../activities/environment.ts',
      '../../workflows/messages.ts',
      '../../config.ts',
    ],
  },
  {
    folder: 'src/tools',
    allowed: [
      '../core/entry.ts',
      '../models/model.ts',
      './schema/validator.ts',
      'node:util',
      'zod',
    ],
    forbidden: [
      '@temporalio/common',
      '../models/scripted.ts',
      '../models/anthropic/anthropic.ts',
      '../blobs/blob-store.ts',
      '../streams/event-sink.ts',
      '../activities/environment.ts',
      '../workflows/messages.ts',
      '../worker.ts',
    ],
  },
  {
    folder: 'src/blobs',
    allowed: ['../core/stored.ts', 'node:fs', 'pg'],
    forbidden: [
      '@temporalio/common',
      '../models/model.ts',
      '../tools/tool.ts',
      '../streams/event-sink.ts',
      '../activities/environment.ts',
      '../workflows/messages.ts',
    ],
  },
  {
    folder: 'src/streams',
    allowed: ['../core/event.ts', 'node:fs', 'ioredis'],
    forbidden: [
      '@temporalio/common',
      '../models/model.ts',
      '../tools/tool.ts',
      '../blobs/blob-store.ts',
      '../activities/environment.ts',
      '../workflows/messages.ts',
    ],
  },
  {
    folder: 'src/activities/ledger',
    allowed: [
      '../../core/entry.ts',
      '../../models/model.ts',
      '../../tools/tool.ts',
      '../../blobs/blob-store.ts',
      '../../streams/event-sink.ts',
      '../environment.ts',
      '@temporalio/activity',
      '@temporalio/client',
      '@temporalio/common',
    ],
    forbidden: [
      '@temporalio/worker',
      '@temporalio/workflow',
      '@temporalio/envconfig',
      '../../workflows/messages.ts',
      '../../client/index.ts',
      '../../cli/main.ts',
      '../../config.ts',
      '../../worker.ts',
      '../../../test/support/start-server.ts',
    ],
  },
  {
    folder: 'src/client/errors',
    allowed: [
      '../../core/entry.ts',
      '../../workflows/messages.ts',
      '../../activities/transcript/transcript-reader.ts',
      '../../blobs/blob-store.ts',
      '../../streams/event-sink.ts',
      '../connect.ts',
      '@temporalio/client',
      '@temporalio/common',
      '@temporalio/envconfig',
    ],
    forbidden: [
      '@temporalio/worker',
      '@temporalio/activity',
      '../../workflows/conversation.ts',
      '../../activities/environment.ts',
      '../../activities/ledger/attempt-ledger.ts',
      '../../models/model.ts',
      '../../tools/tool.ts',
      '../../cli/main.ts',
      '../../worker.ts',
    ],
  },
  {
    folder: 'src/http',
    allowed: ['../core/entry.ts', '../client/index.ts', '../config.ts', 'hono'],
    forbidden: [
      '@temporalio/worker',
      '../workflows/messages.ts',
      '../activities/environment.ts',
      '../models/model.ts',
      '../tools/tool.ts',
      '../worker.ts',
    ],
  },
  {
    folder: 'src/cli',
    allowed: [
      '../core/entry.ts',
      '../client/index.ts',
      '../config.ts',
      '../worker.ts',
      '../embedded-server/embedded-server.ts',
      'commander',
    ],
    forbidden: [
      '@temporalio/worker',
      '../workflows/messages.ts',
      '../activities/environment.ts',
      '../models/model.ts',
      '../tools/tool.ts',
      '../index.ts',
    ],
  },
  {
    folder: 'src/worker',
    allowed: ['../config.ts', '../activities/create-activities.ts', '@temporalio/worker'],
    forbidden: [
      '@temporalio/workflow',
      '../workflows/conversation.ts',
      '../cli/main.ts',
      '../http/app.ts',
      '../testing/index.ts',
      '../index.ts',
    ],
  },
  {
    folder: 'src/embedded-server',
    allowed: ['../core/names.ts', '../config.ts', '@temporalio/client', 'node:child_process'],
    forbidden: ['@temporalio/worker', '../client/index.ts', '../cli/main.ts', '../worker.ts'],
  },
];

describe('the import list of a folder', { timeout: 60_000 }, () => {
  test('reports every forbidden import that is planted, and no other', async () => {
    const project = await scratchProject();
    const expected: string[] = [];
    let n = 0;
    const plant = async (folder: string, specifier: string) => {
      const file = `${folder}/planted-${(n += 1)}.ts`;
      await project.write(file, `import '${specifier}';\n`);
      return `${file} ${specifier}`;
    };
    for (const { folder, allowed, forbidden } of FENCES) {
      for (const specifier of allowed) await plant(folder, specifier);
      for (const specifier of forbidden) expected.push(await plant(folder, specifier));
    }
    const reports = await reportsOf(project);
    const found = reports.filter(({ rule }) => rule === 'eslint(no-restricted-imports)');
    expect(
      found.map(({ file, message }) => `${file} ${/'([^']+)'/.exec(message)?.[1]}`).toSorted(),
    ).toEqual(expected.toSorted());
    expect(found.filter(({ help }) => help === '')).toEqual([]);
  });
});
