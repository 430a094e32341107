import { type ChildProcess, fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import messages from '../../examples/support-desk/messages.json' with { type: 'json' };
import { PerdureClient } from '../../src/client/index.ts';
import {
  anthropicWire,
  followScript,
  openaiWire,
  type RecordedRequest,
  startModelServer,
  type WireTurn,
} from '../../src/models/contract/index.ts';
import { CLI_ENVIRONMENT } from '../cli/run-cli.ts';
import type { SupportDesks } from './support-desk-workers.ts';

const WORKERS = fileURLToPath(new URL('support-desk-workers.ts', import.meta.url));
const ANSWER = 'You have your 129.00 back.';
const CALLS = [
  { name: 'find_order', input: { orderId: 'A-1017' } },
  { name: 'refund_order', input: { orderId: 'A-1017', amountCents: 12_900, reason: 'torn' } },
  { name: 'notify_customer', input: { orderId: 'A-1017', text: ANSWER } },
];

/** The desk's part, by a model that calls tools. */
const withTools = (turn: number): WireTurn => {
  const call = CALLS[turn];
  return call === undefined ? { text: ANSWER } : { calls: [{ id: `call_${turn}`, ...call }] };
};

/** The same by a model that only writes, in the marks that it was told. */
const inText = (turn: number, { text }: RecordedRequest): WireTurn => {
  const mark = /\[\[(\w+) answer\]\]/.exec(text)?.[1] ?? 'none';
  const call = CALLS[turn];
  return {
    text:
      call === undefined
        ? `[[${mark} answer]]\n${ANSWER}\n[[${mark} end]]`
        : `I use a tool.\n[[${mark} call ${call.name}]]\n${JSON.stringify(call.input)}\n[[${mark} end]]`,
  };
};

const claude = await startModelServer(followScript(anthropicWire, withTools));
const compatible = await startModelServer(followScript(openaiWire, withTools));
const textOnly = await startModelServer(followScript(openaiWire, inText));
const SERVERS = [claude, compatible, textOnly];

/** What a user sets; with a network the Anthropic API needs the key alone. */
const SETTINGS = {
  'the Anthropic API, by a key': { ANTHROPIC_API_KEY: 'sk-test', ANTHROPIC_BASE_URL: claude.url },
  'a compatible server, by its base URL': {
    SUPPORT_DESK_MODEL_URL: `${compatible.url}/v1`,
    SUPPORT_DESK_MODEL: 'wire-1',
  },
  'a model that only writes text': {
    SUPPORT_DESK_MODEL_URL: `${textOnly.url}/v1`,
    SUPPORT_DESK_MODEL_TOOLS: 'text',
  },
} as const;

let folder: string;
let address: string;
let worker: ChildProcess;
const queues = new Map(Object.keys(SETTINGS).map((name) => [name, `support-${randomUUID()}`]));

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'perdure-test-support-desk-'));
  address = inject('temporalAddress');
  const desks: SupportDesks = {
    address,
    workflowBundlePath: inject('workflowBundlePath'),
    dataDirectory: folder,
    desks: Object.entries(SETTINGS).map(([name, settings]) => {
      const taskQueue = queues.get(name) ?? '';
      return { taskQueue, book: bookOf(taskQueue), settings };
    }),
  };
  worker = fork(WORKERS, [JSON.stringify(desks)], {
    execArgv: ['--conditions=perdure-source', '--import', import.meta.resolve('tsx')],
    env: { ...CLI_ENVIRONMENT, ...SETTINGS['the Anthropic API, by a key'] },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  await once(worker, 'message');
});

afterAll(async () => {
  const ended = once(worker, 'exit');
  if (worker.exitCode === null && worker.kill('SIGTERM')) await ended;
  await Promise.all(SERVERS.map((server) => server.close()));
  await rm(folder, { recursive: true, force: true });
});

function bookOf(queue: string): string {
  return join(folder, `${queue}.jsonl`);
}

describe('the support desk of the examples runs to its end, with its approval, on', () => {
  test.concurrent.each(Object.keys(SETTINGS))('%s', async (name) => {
    const queue = queues.get(name) ?? '';
    const client = await PerdureClient.connect({ address, taskQueue: queue });
    try {
      const conversation = await client.start('support-desk', {
        message: messages[0]?.text ?? '',
      });
      const approvals = () => conversation.approvals().catch(() => []);
      await expect.poll(approvals, { timeout: 60_000 }).toHaveLength(1);
      const [request] = await conversation.approvals();
      expect(request).toMatchObject({ tool: 'refund_order', summary: 'refund 129.00 for A-1017' });
      await conversation.approve(request?.key ?? '', { by: { id: 'lead' } });
      expect(await conversation.result()).toMatchObject({
        stopReason: 'answered',
        text: ANSWER,
        summary: {
          calls: { find_order: { ok: 1 }, refund_order: { ok: 1 }, notify_customer: { ok: 1 } },
        },
      });
      const book = (await readFile(bookOf(queue), 'utf8')).trim().split('\n');
      expect(book.map((line) => (JSON.parse(line) as { kind: string }).kind)).toEqual([
        'refund',
        'notification',
      ]);
    } finally {
      await client.close();
    }
  });

  test('each service was asked once a step', () => {
    expect(SERVERS.map(({ requests }) => requests.length)).toEqual([4, 4, 4]);
    expect(claude.requests[0]?.headers).toMatchObject({ authorization: 'Bearer sk-test' });
  });
});
