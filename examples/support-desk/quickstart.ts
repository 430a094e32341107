/**
 * The support desk handles one refund, and its worker is killed in the middle: the real thing, on a
 * real Temporal server with its database under `.perdure/`.
 */
import { createInterface } from 'node:readline/promises';
import { resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { PerdureClient, type ConversationHandle } from 'perdure/client';
import { startEmbeddedServer } from '../../src/embedded-server/embedded-server.ts';
import messages from './messages.json' with { type: 'json' };
import { openDesk } from './desk.ts';
import { supportModel } from './model.ts';
import { BOOK } from './perdure.config.ts';
import { countEffects, storyOf } from './story.ts';
import { startWorkerProcess, type WorkerProcess } from './worker-process.ts';

const DATA_DIRECTORY = resolve('.perdure');
const DECIDES_ITSELF_AFTER_MS = 3_000;

const say = (line = '') => console.log(line);
const step = (line: string) => say(`\n▸ ${line}`);

const interrupted = new AbortController();
let server: Awaited<ReturnType<typeof startEmbeddedServer>> | undefined;
let worker: WorkerProcess | undefined;
let client: PerdureClient | undefined;
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    interrupted.abort();
    void end().then(() => process.exit(130));
  });
}

try {
  await quickstart();
} catch (error) {
  if (!interrupted.signal.aborted) {
    console.error(
      `\nThe quickstart did not get to its end: ${error instanceof Error ? error.message : String(error)}`,
    );
    process.exitCode = 1;
  }
} finally {
  await end();
}

async function quickstart(): Promise<void> {
  const { id, provider } = supportModel();
  say(
    provider === 'scripted'
      ? 'Model: a script (set ANTHROPIC_API_KEY to use Claude, SUPPORT_DESK_MODEL_URL to use a server of your own).'
      : `Model: ${id}, by ${provider}.`,
  );
  step('Starting a Temporal server, with its database under .perdure/');
  server = await startEmbeddedServer({ dataDirectory: DATA_DIRECTORY });
  say(`  gRPC ${server.address}, UI ${server.uiAddress}`);
  step('Starting a worker in a process of its own');
  worker = await startWorkerProcess(server.address, DATA_DIRECTORY);
  say(`  process ${worker.pid} is ready`);

  client = await PerdureClient.connect({ address: server.address });
  const before = openDesk(BOOK).bookings().length;
  const [message] = messages;
  const conversation = await client.start('support-desk', {
    message: message?.text ?? '',
    by: { id: message?.from ?? 'customer' },
  });
  step(`Conversation ${conversation.id} has begun: "${message?.text.slice(0, 70)}…"`);

  await untilFirstToolRuns(conversation);
  const killedPid = worker.pid;
  await worker.kill();
  step(`Killed the worker (SIGKILL to process ${killedPid}) while find_order was running`);
  worker = await startWorkerProcess(server.address, DATA_DIRECTORY);
  say(
    `  a new worker, process ${worker.pid}, was ready after ${(worker.readyAfterMs / 1000).toFixed(1)} s; the conversation goes on by itself`,
  );

  await decide(conversation);
  const result = await conversation.result({ signal: interrupted.signal });
  step('What happened, as history has it');
  for (const line of storyOf(await conversation.record())) say(`  ${line}`);
  step('What happened outside, counted in the desk’s own book');
  for (const line of countEffects(openDesk(BOOK).bookings().slice(before))) say(`  ${line}`);
  step(`Answer: ${result.text}`);
  say(
    `\nThe run in the Temporal UI (as long as this server runs): ${server.uiAddress}/namespaces/${server.namespace}/workflows/${conversation.id}`,
  );
  say('\nNext:');
  say(
    '  npm run perdure -- dev examples/support-desk/perdure.config.ts   keep server, UI and worker running',
  );
  say(
    `  npm run perdure -- show ${conversation.id}   read this conversation (in another terminal)`,
  );
  say(
    '  npm run perdure -- run support-desk "Please refund order A-1003."   start one of your own',
  );
  say('  docs/writing-tools.md   write a tool');
}

/** Its first attempt is running once history has its schedule and no end of it. */
async function untilFirstToolRuns(conversation: ConversationHandle): Promise<void> {
  for (;;) {
    const { calls } = await conversation.record();
    if (calls.some(({ attempts }) => attempts.some(({ state }) => state === 'open'))) break;
    await pause(50, undefined, { signal: interrupted.signal });
  }
  await pause(300, undefined, { signal: interrupted.signal });
}

async function decide(conversation: ConversationHandle): Promise<void> {
  for (;;) {
    const { status, pending } = await conversation.status();
    if (pending > 0) break;
    if (status === 'waiting_input') return;
    await pause(100, undefined, { signal: interrupted.signal });
  }
  for (const request of await conversation.approvals()) {
    step(`A person is needed: ${request.summary}`);
    say(`  ${request.tool}(${JSON.stringify(request.input)})`);
    if (await isApproved()) {
      await conversation.approve(request.key, { by: { id: 'quickstart' }, digest: request.digest });
      say('  approved');
    } else {
      await conversation.deny(request.key, { by: { id: 'quickstart' }, reason: 'not today' });
      say('  denied');
    }
  }
}

async function isApproved(): Promise<boolean> {
  if (!process.stdin.isTTY) {
    say(`  no terminal: approved by itself in ${DECIDES_ITSELF_AFTER_MS / 1000} s`);
    await pause(DECIDES_ITSELF_AFTER_MS, undefined, { signal: interrupted.signal });
    return true;
  }
  const prompt = createInterface({ input: process.stdin, output: process.stdout });
  const answer = await prompt.question('  Approve? [Y/n] ', { signal: interrupted.signal });
  prompt.close();
  return !/^n/i.test(answer.trim());
}

/** Leaves no process behind. */
async function end(): Promise<void> {
  await worker?.stop();
  await client?.close();
  await server?.stop();
}
