import { createInterface, type Interface } from 'node:readline/promises';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { answerApprovals } from '../../src/cli/answer-approvals.ts';
import { ApprovalDesk } from '../../src/cli/approval-desk.ts';
import type { ConversationHandle } from '../../src/client/index.ts';
import { desk, pair } from './agents/desk.ts';
import { serveAgents } from '../support/serve-agents.ts';
import { SOON } from '../client/soon.ts';

const served = serveAgents({ agents: [desk, pair] });
const by = { id: 'ana', via: 'cli' };

let keyboard: PassThrough;
let readline: Interface;
let screen = '';
beforeEach(() => {
  keyboard = new PassThrough();
  const output = new PassThrough();
  screen = '';
  output.on('data', (chunk: Buffer) => {
    screen += chunk.toString();
  });
  readline = createInterface({ input: keyboard, output, terminal: false });
});
afterEach(() => {
  readline.close();
});

function say(line: string): void {
  screen += `${line}\n`;
}

const options = { handleOf: (id: string) => served.client.handle(id), by, say };

/** What waits in these conversations. */
async function waitingIn(...conversations: readonly ConversationHandle[]) {
  const lists = await Promise.all(
    conversations.map(async (conversation) =>
      (await conversation.approvals()).map((request) => ({
        conversationId: conversation.id,
        agent: 'desk',
        request,
      })),
    ),
  );
  return lists.flat();
}

async function waiting(agent = 'desk'): Promise<ConversationHandle> {
  const conversation = await served.client.start(agent, { message: 'A-1' });
  await expect.poll(async () => (await conversation.approvals()).length, SOON).toBe(1);
  return conversation;
}

/** A conversation whose call is asked about at the prompt. */
async function asked(
  agent?: string,
): Promise<{ conversation: ConversationHandle; desk: ApprovalDesk }> {
  const conversation = await waiting(agent);
  const approvals = new ApprovalDesk(readline, options);
  approvals.show(await waitingIn(conversation));
  await expect.poll(() => screen, SOON).toMatch(/approve\? \[y\]es/);
  return { conversation, desk: approvals };
}

async function type(line: string, until: RegExp): Promise<void> {
  keyboard.write(`${line}\n`);
  await expect.poll(() => screen, SOON).toMatch(until);
}

describe('at the prompt', () => {
  test('the call is shown with its arguments, and yes lets it run', async () => {
    const { conversation } = await asked();
    expect(screen).toMatch(/refund {2}refund 12\.00 for A-1[^]*\{"order":"A-1","cents":1200\}/);
    keyboard.write('y\n');
    expect(await conversation.result()).toMatchObject({ text: 'refunded' });
  });

  test('no asks why, and the model is told', async () => {
    const { conversation } = await asked();
    await type('n', /why/);
    keyboard.write('not today\n');
    expect((await conversation.result()).text).toMatch(/not today/);
  });

  test('an edit is sent when it is JSON', async () => {
    const { conversation } = await asked();
    await type('e', /arguments as JSON/);
    await type('{"order"', /that is not JSON/);
    await type('e', /arguments as JSON[^]*arguments as JSON/);
    keyboard.write('{"order":"A-1","cents":7}\n');
    await conversation.result();
    const { calls } = await conversation.record();
    expect(calls.at(-1)?.effectiveInput).toEqual({ order: 'A-1', cents: 7 });
  });

  test('a question is dropped when somebody else has decided', async () => {
    const { conversation, desk: approvals } = await asked();
    const [request] = await conversation.approvals();
    await conversation.deny(request?.key ?? '', { by: { id: 'ben' }, reason: 'no' });
    approvals.show([]);
    keyboard.write('y\n');
    expect((await conversation.result()).text).toMatch(/no/);
    const { calls } = await conversation.record();
    expect(calls.at(-1)?.decisions).toMatchObject([{ decision: 'deny', by: { id: 'ben' } }]);
  });

  test('an answer that comes too late says who was faster', async () => {
    const { conversation } = await asked();
    const [request] = await conversation.approvals();
    await conversation.deny(request?.key ?? '', { by: { id: 'ben' } });
    await type('y', /not taken \((already_decided|closed)\)/);
  });

  test('an edit that does not fit says why, and the call is asked about again', async () => {
    const { conversation } = await asked();
    await type('edit', /arguments as JSON/);
    await type('{"order":7,"cents":1}', /not taken \(invalid_input\)[^]*approve\? \[y\]es/);
    await type('abort', /approve\?[^]*approve\?[^]*approve\?/);
    keyboard.write('always\n');
    expect(await conversation.result()).toMatchObject({ text: 'refunded' });
  });

  test('a call that two people must approve is asked of each once, and says how many are missing', async () => {
    const { conversation, desk: approvals } = await asked('pair');
    expect(screen).toMatch(
      /0 of 2[^]*approve\? \[y\]es, \[n\]o, \[e\]dit the arguments, \[s\]kip: /,
    );
    await type('e', /arguments as JSON/);
    await type('{"order":"A-1","cents":5}', /approved .*: 1 person more must approve/);
    screen = '';
    approvals.show(await waitingIn(conversation));
    const other = new ApprovalDesk(readline, { ...options, by: { id: 'ben' } });
    other.show(await waitingIn(conversation));
    await expect.poll(() => screen, SOON).toMatch(/refund 0\.05 for A-1[^]*1 of 2[^]*approve\?/);
    keyboard.write('y\n');
    expect(await conversation.result()).toMatchObject({ text: 'refunded' });
    expect(screen.match(/approve\?/g)).toHaveLength(1);
  });
});

describe('perdure approvals --watch', () => {
  test('asks about what comes to wait in any conversation, drops what somebody else decided, and leaves', async () => {
    const first = await waiting();
    const conversations = [first];
    const watching = answerApprovals(readline, () => waitingIn(...conversations), options);
    await expect.poll(() => screen, SOON).toMatch(/approve\?/);
    const second = await waiting();
    conversations.push(second);
    const [request] = await first.approvals();
    await first.deny(request?.key ?? '', { by: { id: 'ben' } });
    await expect.poll(() => screen, SOON).toMatch(new RegExp(`${second.id}[^]*approve\\?`));
    keyboard.write('y\n');
    expect(await second.result()).toMatchObject({ text: 'refunded' });
    expect((await first.result()).text).toMatch(/not refunded/);
    readline.close();
    await watching;
  });
});
