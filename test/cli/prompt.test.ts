import { createInterface, type Interface } from 'node:readline/promises';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ApprovalDesk } from '../../src/cli/approval-desk.ts';
import type { ConversationHandle } from '../../src/client/index.ts';
import { desk } from './agents/desk.ts';
import { serveAgents } from '../support/serve-agents.ts';
import { SOON } from '../client/soon.ts';

const served = serveAgents({ agents: [desk] });
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

/** A conversation whose call is asked about at the prompt. */
async function asked(): Promise<{ conversation: ConversationHandle; approvals: ApprovalDesk }> {
  const conversation = await served.client.start('desk', { message: 'A-1' });
  await expect.poll(async () => (await conversation.approvals()).length, SOON).toBe(1);
  const approvals = new ApprovalDesk(readline, conversation, { agent: 'desk', by, say });
  approvals.show(await conversation.approvals());
  await expect.poll(() => screen, SOON).toMatch(/approve\? \[y\]es/);
  return { conversation, approvals };
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
    const { conversation, approvals } = await asked();
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
});
