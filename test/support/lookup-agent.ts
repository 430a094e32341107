import { randomUUID } from 'node:crypto';
import { Client, type Connection } from '@temporalio/client';
import type { PayloadCodec } from '@temporalio/common';
import { expect } from 'vitest';
import { z } from 'zod';
import type { BlobStore } from '../../src/blobs/blob-store.ts';
import type { ModelRequest } from '../../src/core/model-request.ts';
import type { ConversationResult } from '../../src/core/status.ts';
import { scripted, toolCall } from '../../src/models/scripted.ts';
import { defineAgent } from '../../src/tools/define-agent.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import { type BareWorkerOptions, startBareWorker } from './bare-worker.ts';
import { temporalClient } from './temporal-client.ts';

const lookup = defineTool({
  name: 'lookup',
  description: 'Looks a number up.',
  inputSchema: z.object({ n: z.number(), characters: z.number() }),
  effect: 'read',
  execute: ({ n, characters }) => `value ${n} ${'x'.repeat(characters)}`,
});

/** Looks numbers up one by one, and refuses to go on when it is not shown all of what came before. */
export function lookupAgent(steps: number, characters: number) {
  return defineAgent({
    name: 'lookups',
    model: scripted((request, turn) => {
      expectResults(request, turn);
      return turn < steps ? toolCall('lookup', { n: turn, characters }) : `looked up ${turn}`;
    }),
    instructions: 'Look numbers up.',
    tools: [lookup],
    limits: { maxSteps: steps + 1 },
  });
}

function expectResults({ messages }: ModelRequest, count: number): void {
  const results = messages.flatMap((message) => (message.role === 'tool' ? message.results : []));
  const texts = results.map(({ content }) => (content[0]?.type === 'text' ? content[0].text : ''));
  const numbers = texts.map((text) => Number(/^value (\d+) x*$/.exec(text)?.[1]));
  expect(numbers).toEqual(Array.from({ length: count }, (_, n) => n));
}

export interface LookupRun {
  readonly workflowId: string;
  readonly result: ConversationResult;
  /** Of the whole conversation. */
  readonly ms: number;
  /** Over all workers. */
  readonly hits: number;
  readonly gaps: number;
  readonly pages: number;
}

/** Runs one conversation on these workers to its end, and stops them. */
export async function runLookups(
  agent: ReturnType<typeof lookupAgent>,
  blobs: BlobStore,
  workers: readonly Partial<Omit<BareWorkerOptions, 'agents' | 'taskQueue' | 'blobs'>>[],
): Promise<LookupRun> {
  const taskQueue = `lookups-${randomUUID()}`;
  const started = await Promise.all(
    workers.map((worker) => startBareWorker({ ...worker, agents: [agent], taskQueue, blobs })),
  );
  try {
    const workflowId = `lookups-${randomUUID()}`;
    const client = await clientWith(workers[0]?.payloadCodecs ?? []);
    const startedAt = performance.now();
    const result = (await client.workflow.execute(agent.name, {
      taskQueue,
      workflowId,
      args: [{ message: 'look them up' }],
    })) as ConversationResult;
    const ms = performance.now() - startedAt;
    const sum = (of: 'hits' | 'gaps' | 'historyPages') =>
      started.reduce((total, { transcripts }) => total + transcripts.statistics[of], 0);
    return {
      workflowId,
      result,
      ms,
      hits: sum('hits'),
      gaps: sum('gaps'),
      pages: sum('historyPages'),
    };
  } finally {
    await Promise.all(started.map((worker) => worker.stop()));
  }
}

export async function clientWith(codecs: readonly PayloadCodec[]): Promise<Client> {
  const { connection } = await temporalClient();
  return new Client({
    connection: connection as Connection,
    dataConverter: { payloadCodecs: [...codecs] },
  });
}
