import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { type ConversationHandle, PerdureClient } from '../../src/client/index.ts';
import { startCountingService } from '../support/counting-service.ts';
import { forkWorker, type ServerForWorkers, type WorkerProcess } from '../support/fork-worker.ts';
import { rawJson, rawSender } from '../support/raw-sender.ts';
import { type Decided, judgeStorm, type StormReport } from './judge-storm.ts';

export interface StormOptions {
  readonly server: ServerForWorkers;
  readonly dataDirectory: string;
  readonly handOvers: number;
  readonly kills: number;
  readonly log?: (line: string) => void;
}

/** Senders keep within this, so that nobody has to wait for long. */
const MAX_QUEUED = 40;
const HAND_OVER = { bytes: 3_000_000, events: 40 };

/**
 * One conversation that is talked to all the time, by updates and by raw signals, that is asked,
 * answered (twice, with edits, with denials) and stopped, while it hands over as often as it can and
 * its worker is killed. Tells what became of everything that was sent.
 */
export async function handOverStorm(options: StormOptions): Promise<StormReport> {
  const { server, dataDirectory, handOvers, kills, log = () => {} } = options;
  const service = await startCountingService();
  const taskQueue = `hand-overs-${randomUUID()}`;
  const patience = { acceptMs: 2_000, answerMs: 20_000, queryMs: 20_000, handOverMs: 30_000 };
  const client = await PerdureClient.connect({ address: server.address, taskQueue, patience });
  const logs: string[] = [];
  const startWorker = () =>
    forkWorker(
      {
        fixture: new URL('busy-agent.ts', import.meta.url),
        taskQueue,
        dataDirectory,
        handOver: HAND_OVER,
        options: { url: service.url },
        onLog: (text) => logs.push(text),
      },
      server,
    );
  let worker: WorkerProcess = await startWorker();
  try {
    const conversation = await client.start('busy', { mode: 'chat', message: 'begin' });
    const over = new AbortController();
    const runs = new Set<string>();
    const sent = new Map<string, string[]>();
    const decided = new Map<string, Decided>();
    let stops = 0;
    const working = [
      ...(['queue', 'steer'] as const).map((when) =>
        talk(conversation, when, { sent, over: over.signal }),
      ),
      signalMessages(client, conversation, { sent, over: over.signal }),
      decide(conversation, decided, over.signal),
      interrupt(conversation, over.signal, () => {
        stops += 1;
      }),
    ];
    let killed = 0;
    while (runs.size <= handOvers) {
      const { run } = await asked(() => conversation.status());
      if (!runs.has(run)) {
        runs.add(run);
        if (runs.size % 10 === 0) log(`${runs.size - 1} hand-overs, ${killed} kills`);
      }
      if (killed < kills && runs.size > ((killed + 1) * handOvers) / (kills + 1)) {
        await worker.kill();
        killed += 1;
        worker = await startWorker();
      }
      await pause(20);
    }
    over.abort();
    await Promise.all(working);
    await settleDown(conversation, decided);
    await conversation.close();
    await conversation.result();
    return judgeStorm({
      record: await conversation.record(),
      sent,
      decided,
      effects: service.of('pay'),
      logs: logs.join(''),
      runs: runs.size,
      kills: killed,
      stops,
    });
  } finally {
    await worker.kill();
    await client.close();
    await service.close();
  }
}

interface Talk {
  /** What each sender has sent for certain, in order. */
  readonly sent: Map<string, string[]>;
  readonly over: AbortSignal;
}

async function talk(
  conversation: ConversationHandle,
  when: 'queue' | 'steer',
  { sent, over }: Talk,
): Promise<void> {
  const mine: string[] = [];
  sent.set(when, mine);
  for (let n = 0; !over.aborted; n++) {
    const text = `${when} ${n}`;
    await asked(() => conversation.send(text, { id: text, when }));
    mine.push(text);
    // A sender that got no answer sends again.
    if (n % 5 === 0) await asked(() => conversation.send(text, { id: text, when }));
    await pause(when === 'queue' ? 60 : 110);
  }
}

async function signalMessages(
  client: PerdureClient,
  conversation: ConversationHandle,
  { sent, over }: Talk,
): Promise<void> {
  const mine: string[] = [];
  sent.set('signal', mine);
  for (let n = 0; !over.aborted; n++) {
    while ((await asked(() => conversation.status())).queued > MAX_QUEUED && !over.aborted)
      await pause(50);
    const content = `signal ${n}`;
    const payload = rawJson(JSON.stringify({ content, id: content }));
    await rawSender(client.temporal).signal(conversation.id, 'message', payload);
    mine.push(content);
    await pause(130);
  }
}

/** Between two workers nobody answers, and an inbox is full for a moment: whoever asks, asks again. */
async function asked<T>(ask: () => Promise<T>): Promise<T> {
  const deadline = Date.now() + 120_000;
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await pause(200);
    }
  }
}

async function decide(
  conversation: ConversationHandle,
  decided: Map<string, Decided>,
  over: AbortSignal,
): Promise<void> {
  while (!over.aborted) {
    await decideAll(conversation, decided);
    await pause(40);
  }
}

/** A third is denied, a third approved as it is, a third with other arguments; each is said twice. */
async function decideAll(
  conversation: ConversationHandle,
  decided: Map<string, Decided>,
): Promise<void> {
  for (const { key } of await asked(() => conversation.approvals())) {
    if (decided.has(key)) continue;
    const kind = (['deny', 'approve', 'edit'] as const)[decided.size % 3] ?? 'approve';
    const by = { id: 'approver' };
    const verdictId = `verdict of ${key}`;
    const say = () =>
      kind === 'deny'
        ? conversation.deny(key, { by, verdictId, reason: 'no' })
        : conversation.approve(key, {
            by,
            verdictId,
            ...(kind === 'edit' ? { input: { n: -1, edited: true } } : {}),
          });
    try {
      const { via } = await say();
      decided.set(key, { how: kind, recorded: via === 'update' });
      await say();
    } catch (error) {
      // A stop may have settled it before.
      if (!isRefusal(error)) throw error;
      if (!decided.has(key)) decided.set(key, { how: 'refused', recorded: true });
    }
  }
}

function isRefusal(error: unknown): boolean {
  return error instanceof Error && error.name === 'PerdureRefusal';
}

async function interrupt(
  conversation: ConversationHandle,
  over: AbortSignal,
  onStop: () => void,
): Promise<void> {
  while (!over.aborted) {
    await pause(1_500);
    await conversation.stop({ reason: 'now and then', by: { id: 'stopper' } });
    onStop();
  }
}

/** Everything that waits is answered before the end. */
async function settleDown(
  conversation: ConversationHandle,
  decided: Map<string, Decided>,
): Promise<void> {
  const deadline = Date.now() + 120_000;
  for (;;) {
    await decideAll(conversation, decided);
    const { status, queued, pending } = await asked(() => conversation.status());
    if (status === 'waiting_input' && queued === 0 && pending === 0) return;
    if (Date.now() > deadline) throw new Error(`it is still ${status} with ${queued} messages`);
    await pause(100);
  }
}
