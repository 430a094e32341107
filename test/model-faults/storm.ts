import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { z } from 'zod';
import { PerdureClient } from '../../src/client/index.ts';
import type { ConversationResult } from '../../src/core/status.ts';
import { addUsage, NO_USAGE, type Usage } from '../../src/core/usage.ts';
import { anthropic } from '../../src/models/anthropic/anthropic.ts';
import { WIRE_USAGE } from '../../src/models/contract/wire.ts';
import { fileEventSink } from '../../src/streams/file.ts';
import { seededRandom } from '../../src/testing/crash/seeded-random.ts';
import { defineAgent } from '../../src/tools/define-agent.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import { startWorker } from '../../src/worker.ts';
import { FAULT_NAMES, type FaultyService, saidAt, startFaultyService } from './faulty-service.ts';
import { type Watched, watchRestlessly } from './restless-watcher.ts';

export interface StormOptions {
  readonly address: string;
  readonly workflowBundlePath: string;
  readonly dataDirectory: string;
  readonly conversations: number;
  readonly steps: number;
  /** Of the answers that break, at least 0, less than 1. */
  readonly share: number;
  readonly seed: number;
  readonly atOnce: number;
  /** After this silence a stream is given up, in milliseconds. */
  readonly idleTimeoutMs: number;
  readonly log?: (line: string) => void;
}

export interface StormReport {
  readonly problems: readonly string[];
  /** Markdown. */
  readonly table: string;
}

/** Conversations with a model that breaks, each with a watcher that comes and goes. */
export async function modelFaultStorm(options: StormOptions): Promise<StormReport> {
  const { address, dataDirectory, conversations, steps, atOnce, idleTimeoutMs } = options;
  const service = await startFaultyService(options);
  const effects = new Map<string, number>();
  const agent = defineAgent({
    name: 'adder',
    model: anthropic('claude-wire-1', {
      apiKey: 'test-key',
      baseURL: service.server.url,
      idleTimeoutMs,
    }),
    instructions: 'Add.',
    tools: [
      defineTool({
        name: 'add',
        description: 'Adds.',
        inputSchema: z.object({ n: z.number() }),
        effect: 'once',
        execute: ({ n }, { conversationId }) => {
          const effect = `${conversationId}/${n}`;
          effects.set(effect, (effects.get(effect) ?? 0) + 1);
          return String(n);
        },
      }),
    ],
    limits: { maxSteps: steps + 2 },
  });
  const taskQueue = `model-faults-${randomUUID()}`;
  const worker = await startWorker(
    { agents: [agent], taskQueue, dataDir: dataDirectory, deployPatience: 0 },
    { address },
    { workflowBundle: { codePath: options.workflowBundlePath } },
  );
  const running = worker.run();
  const events = fileEventSink({ directory: join(dataDirectory, 'events') });
  const client = await PerdureClient.connect({ address, taskQueue, events });
  const results: ConversationResult[] = [];
  const watched: Watched[] = [];
  const problems: string[] = [];
  let next = 0;
  const one = async (): Promise<void> => {
    while (next < conversations) {
      const n = next;
      next += 1;
      const name = `conversation-${n}`;
      const conversation = await client.start('adder', { message: `Add up in ${name}` });
      const [result, seen] = await Promise.all([
        conversation.result(),
        watchRestlessly(conversation, seededRandom(options.seed + n)),
      ]);
      results.push(result as ConversationResult);
      watched.push(seen);
      problems.push(...seen.problems, ...wrongIn(name, steps, { result, seen }));
      options.log?.(`${results.length} of ${conversations} conversations ended`);
    }
  };
  try {
    await Promise.all(Array.from({ length: atOnce }, one));
  } finally {
    await client.close();
    await events.close();
    worker.shutdown();
    await running;
    await service.server.close();
  }
  const repeated = [...effects.values()].filter((times) => times !== 1).length;
  if (repeated > 0 || effects.size !== conversations * steps) {
    problems.push(`${effects.size} effects, ${repeated} of them more than once`);
  }
  const expected = conversations * (steps + 1);
  if (service.answered !== expected) {
    problems.push(`${service.answered} whole answers, expected ${expected}`);
  }
  problems.push(...service.problems, ...wrongUsage(service, results));
  return { problems, table: tableOf(options, { service, results, watched, problems }) };
}

function wrongIn(
  name: string,
  steps: number,
  { result, seen }: { readonly result: { readonly text: unknown }; readonly seen: Watched },
): string[] {
  const answer = `The sum is ${(steps * (steps - 1)) / 2}.`;
  const said = [...Array.from({ length: steps }, (_, step) => saidAt(name, step)), answer];
  return [
    ...(result.text === answer ? [] : [`${name} answered "${JSON.stringify(result.text)}"`]),
    ...(JSON.stringify(seen.said) === JSON.stringify(said)
      ? []
      : [`${name}: a watcher read ${JSON.stringify(seen.said)}`]),
  ];
}

/** What a broken answer says at its start. */
const STARTED: Usage = { ...WIRE_USAGE, output: 1, reasoning: 0 };

/** Whole answers and the starts of broken ones are counted; of the others it is counted that nobody knows. */
function wrongUsage(service: FaultyService, results: readonly ConversationResult[]): string[] {
  const { always, maybe, never } = service.usage;
  const failed = results.map(
    ({ summary }) => summary.failedAttempts ?? { count: 0, withoutUsage: 0 },
  );
  const count = failed.reduce((sum, one) => sum + one.count, 0);
  const withoutUsage = failed.reduce((sum, one) => sum + one.withoutUsage, 0);
  const told = count - withoutUsage;
  const used = results.map(({ usage }) => usage).reduce(addUsage, NO_USAGE);
  const expected = addUsage(times(WIRE_USAGE, service.answered), times(STARTED, told));
  return [
    ...(count === always + maybe + never
      ? []
      : [`${count} failed attempts were counted, ${always + maybe + never} were made`]),
    ...(told >= always && told <= always + maybe
      ? []
      : [
          `of ${told} failed attempts usage was counted, it was sent in ${always} to ${always + maybe}`,
        ]),
    ...(JSON.stringify(used) === JSON.stringify(expected)
      ? []
      : [`counted ${JSON.stringify(used)}, sent ${JSON.stringify(expected)}`]),
  ];
}

function times(usage: Usage, n: number): Usage {
  return {
    input: usage.input * n,
    cacheRead: usage.cacheRead * n,
    cacheWrite: usage.cacheWrite * n,
    output: usage.output * n,
    reasoning: usage.reasoning * n,
  };
}

function tableOf(
  { conversations, steps, share, seed }: StormOptions,
  found: {
    readonly service: FaultyService;
    readonly results: readonly ConversationResult[];
    readonly watched: readonly Watched[];
    readonly problems: readonly string[];
  },
): string {
  const { service, results, watched, problems } = found;
  const sum = (numbers: readonly number[]) => numbers.reduce((a, b) => a + b, 0);
  const without = sum(results.map(({ summary }) => summary.failedAttempts?.withoutUsage ?? 0));
  const rows = [
    [
      'conversations, steps each, share of answers that break, seed',
      `${conversations}, ${steps}, ${share * 100} %, ${seed}`,
    ],
    ['requests', service.server.requests.length],
    ['whole answers', service.answered],
    ...FAULT_NAMES.map((fault) => [fault, service.faults.get(fault) ?? 0]),
    ['broken answers of which no usage arrived, counted as such', without],
    ['watchers’ connections', sum(watched.map(({ connections }) => connections))],
    ['live pieces of text that they saw', sum(watched.map(({ pieces }) => pieces))],
    [
      'conversations with the right answer',
      results.filter(({ stopReason }) => stopReason === 'answered').length,
    ],
    ['invalid requests, text seen twice, wrong usage, repeated effects', problems.length],
  ];
  return ['| what | |', '| --- | --- |', ...rows.map(([what, n]) => `| ${what} | ${n} |`)].join(
    '\n',
  );
}
