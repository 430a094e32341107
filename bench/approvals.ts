import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { PerdureClient } from '../src/client/index.ts';
import type { EmbeddedServer } from '../src/embedded-server/embedded-server.ts';
import { bundleWorkflows } from '../src/worker/workflow-bundle.ts';
import { compileTree } from '../test/support/compile-tree.ts';
import { startCountingService } from '../test/support/counting-service.ts';
import { forkWorker } from '../test/support/fork-worker.ts';
import { eachOf, quantile, table, timed } from './measure.ts';
import { idleCpu, usageOf } from './process-usage.ts';

const TASK_QUEUE = 'bench-approvals';
const by = { id: 'ana' };
/** More than these at once would measure this process, not the conversations. */
const AT_ONCE = 32;
const WARM_UP = 20;

export interface ApprovalsOptions {
  /** Conversations that wait at the same time. */
  readonly conversations: number;
  /** Verdicts one by one, for update and for signal each. */
  readonly single: number;
  readonly idleSeconds: number;
}

/** What conversations that wait for a person cost, and how long a verdict takes to start its call. */
export async function measureApprovals(
  server: EmbeddedServer,
  options: ApprovalsOptions,
): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'perdure-bench-approvals-'));
  const workflowBundlePath = join(directory, 'workflow-bundle.js');
  await writeFile(workflowBundlePath, (await bundleWorkflows()).code);
  const compiled = await compileTree();
  const service = await startCountingService();
  const worker = await forkWorker(
    {
      fixture: new URL('approvals.fixture.ts', import.meta.url),
      taskQueue: TASK_QUEUE,
      dataDirectory: directory,
      options: { url: service.url },
    },
    { address: server.address, workflowBundlePath, compiledPath: compiled.path },
  );
  const client = await PerdureClient.connect({ address: server.address, taskQueue: TASK_QUEUE });
  const bench = new Bench(client, service, [worker.pid, server.pid]);
  try {
    await bench.measure(options);
  } finally {
    await client.close();
    await worker.stop();
    await service.close();
    await compiled.remove();
    await rm(directory, { recursive: true, force: true });
  }
}

class Bench {
  readonly #client: PerdureClient;
  readonly #service: Awaited<ReturnType<typeof startCountingService>>;
  readonly #pids: readonly number[];
  /** When the verdict about each conversation was sent; milliseconds since 1970. */
  readonly #sentAt = new Map<string, number>();

  constructor(
    client: PerdureClient,
    service: Awaited<ReturnType<typeof startCountingService>>,
    pids: readonly number[],
  ) {
    this.#client = client;
    this.#service = service;
    this.#pids = pids;
  }

  async measure({ conversations, single, idleSeconds }: ApprovalsOptions): Promise<void> {
    const loadBefore = loadavg()[0] ?? Number.NaN;
    await this.#oneByOne('warm', await this.#begin('warm', WARM_UP), 'update');
    await sleep(2_000);
    const quiet = await idleCpu(this.#pids, idleSeconds);
    const before = await this.#memory();

    const many = names('many', conversations);
    const startedMs = await timed(() => this.#begin('many', conversations));
    await sleep(5_000);
    const waiting = await idleCpu(this.#pids, idleSeconds);
    const after = await this.#memory();
    console.log(
      `\n${conversations} conversations that wait for a person (load ${loadBefore.toFixed(1)}; begun in ${(startedMs / 1_000).toFixed(1)} s)\n`,
    );
    console.log(
      table(
        ['', 'worker', 'server'],
        [
          [`idle CPU before, % of a core, over ${idleSeconds} s`, ...quiet.map((ms) => ms / 10)],
          [`idle CPU while they wait, % of a core`, ...waiting.map((ms) => ms / 10)],
          ['memory before, MB', ...before.map((bytes) => bytes / 1e6)],
          ['memory while they wait, MB', ...after.map((bytes) => bytes / 1e6)],
          [
            'memory per conversation, KB',
            ...after.map((bytes, n) => (bytes - (before[n] ?? 0)) / conversations / 1e3),
          ],
        ],
      ),
    );

    const updates = await this.#begin('update', single);
    const signals = await this.#begin('signal', single);
    await this.#list(conversations + 2 * single);
    const rows = [
      ['update, one by one', await this.#oneByOne('update', updates, 'update')],
      ['signal, one by one', await this.#oneByOne('signal', signals, 'signal')],
      [`${conversations} updates in a burst`, await this.#burst(many)],
    ] as const;
    console.log('\nMilliseconds from the verdict, as it is sent, to the first line of the tool\n');
    console.log(
      table(
        ['', 'p50', 'p95', 'max'],
        rows.map(([what, ms]) => [what, quantile(ms, 0.5), quantile(ms, 0.95), quantile(ms, 1)]),
      ),
    );
    await this.#expectOnce([...many, ...updates, ...signals]);
    console.log(`\nload at the end ${(loadavg()[0] ?? Number.NaN).toFixed(1)}`);
  }

  /** Starts conversations, and resolves when all of them wait. */
  async #begin(name: string, count: number): Promise<readonly string[]> {
    const ids = names(name, count);
    await eachOf(ids, AT_ONCE, async (id) => {
      await this.#client.start('clerk', { id, message: 'Pay the invoice.' });
    });
    const query = `TaskQueue = '${TASK_QUEUE}' AND PerdurePending > 0 AND WorkflowId STARTS_WITH '${name}-'`;
    while ((await this.#temporal.workflow.count(query)).count < count) await sleep(100);
    return ids;
  }

  async #oneByOne(
    name: string,
    ids: readonly string[],
    via: 'update' | 'signal',
  ): Promise<readonly number[]> {
    const keys = await this.#keys();
    for (const id of ids) {
      const conversation = this.#client.handle(id);
      const key = keys.get(id) ?? '';
      this.#sentAt.set(id, now());
      if (via === 'update') await conversation.approve(key, { by });
      else await this.#temporal.workflow.getHandle(id).signal('approve', { key, by });
      await conversation.result();
    }
    return this.#latencies(name, ids.length);
  }

  async #burst(ids: readonly string[]): Promise<readonly number[]> {
    const keys = await this.#keys();
    const receipts = new Map<string, number>();
    const ms = await timed(async () => {
      await Promise.all(
        ids.map(async (id) => {
          this.#sentAt.set(id, now());
          const { via } = await this.#client.handle(id).approve(keys.get(id) ?? '', { by });
          receipts.set(via, (receipts.get(via) ?? 0) + 1);
        }),
      );
      await this.#service.until('paid', this.#sentAt.size, 300_000);
    });
    const answered = [...receipts].map(([via, count]) => `${count} by ${via}`).join(', ');
    console.log(
      `\n${ids.length} verdicts at the same moment: all sent, answered (${answered}) and begun after ${(ms / 1_000).toFixed(1)} s`,
    );
    return this.#latencies('many', ids.length);
  }

  /** Of the calls that wait, by conversation. */
  async #keys(): Promise<ReadonlyMap<string, string>> {
    const keys = new Map<string, string>();
    for await (const { conversationId, request } of this.#client.approvals.list()) {
      keys.set(conversationId, request.key);
    }
    return keys;
  }

  async #list(expected: number): Promise<void> {
    const found = new Set<string>();
    let requests = 0;
    const ms = await timed(async () => {
      for await (const { conversationId } of this.#client.approvals.list()) {
        found.add(conversationId);
        requests += 1;
      }
    });
    const right = found.size === expected && requests === expected;
    console.log(
      `\n\`client.approvals.list()\`: ${requests} requests of ${found.size} conversations in ${(ms / 1_000).toFixed(1)} s${right ? '' : `, expected ${expected}`}`,
    );
    if (!right) process.exitCode = 1;
  }

  async #latencies(name: string, count: number): Promise<readonly number[]> {
    const mine = () =>
      this.#service.of('paid').flatMap(({ conversation, at }) => {
        const sent = this.#sentAt.get(String(conversation));
        return sent === undefined || !String(conversation).startsWith(`${name}-`)
          ? []
          : [Number(at) - sent];
      });
    while (mine().length < count) await sleep(20);
    return mine();
  }

  /** By what the tool did, and by what history says. */
  async #expectOnce(ids: readonly string[]): Promise<void> {
    const paid = new Map<string, number>();
    for (const { conversation } of this.#service.of('paid')) {
      paid.set(String(conversation), (paid.get(String(conversation)) ?? 0) + 1);
    }
    const wrong: string[] = [];
    await eachOf(ids, AT_ONCE, async (id) => {
      await this.#client.handle(id).result();
      const { calls } = await this.#client.handle(id).record();
      const ran = calls.flatMap(({ attempts }) => attempts.filter(({ kind }) => kind === 'tool'));
      // The client's update and its signal are one verdict: they have the same id.
      const verdicts = new Set(
        calls.flatMap(({ decisions }) => decisions.map(({ verdictId }) => verdictId)),
      );
      const isRight =
        paid.get(id) === 1 &&
        ran.length === 1 &&
        verdicts.size === 1 &&
        calls[0]?.result?.outcome === 'ok';
      if (!isRight) wrong.push(id);
    });
    console.log(
      `\n${ids.length} verdicts, each recorded as one and each call run once, by the tool's own count and by history: ${wrong.length === 0 ? 'yes' : `not for ${wrong.length}: ${wrong.slice(0, 5).join(', ')}`}`,
    );
    if (wrong.length > 0) process.exitCode = 1;
  }

  async #memory(): Promise<number[]> {
    return (await Promise.all(this.#pids.map(usageOf))).map(({ bytes }) => bytes);
  }

  get #temporal(): Client {
    return this.#client.temporal;
  }
}

function names(name: string, count: number): readonly string[] {
  return Array.from({ length: count }, (_, n) => `${name}-${n}`);
}

/** Comparable between processes of this machine, in fractions of a millisecond. */
function now(): number {
  return performance.timeOrigin + performance.now();
}
