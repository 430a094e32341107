import { describe, expect, test } from 'vitest';
import type { ConversationHandle } from '../../src/client/index.ts';
import { scripted } from '../../src/models/scripted.ts';
import { defineAgent } from '../../src/tools/define-agent.ts';
import { serveAgents } from '../support/serve-agents.ts';

/** As a deploy changes them. */
let instructions: string | undefined = 'Speak German.';

const chatty = (name: string, onAgentChange: 'keep' | 'adopt') =>
  defineAgent({
    name,
    model: scripted(({ system }) => `I was told: ${system}`),
    instructions: () => {
      if (instructions === undefined) throw new Error('the file is not there');
      return instructions;
    },
    onAgentChange,
  });

const served = serveAgents({ agents: [chatty('keeping', 'keep'), chatty('adopting', 'adopt')] });

async function say(chat: ConversationHandle, text: string): Promise<unknown> {
  const { turn } = await chat.status();
  await chat.send(text);
  await expect
    .poll(() => chat.status(), { timeout: 30_000 })
    .toMatchObject({
      status: 'waiting_input',
      turn: turn + 1,
    });
  return (await chat.entries()).map(({ entry }) => entry).findLast(isAnswer);
}

const isAnswer = ({ kind }: { readonly kind: string }) => kind === 'assistant';

describe('an agent that changes under a chat', () => {
  test('is adopted at the next turn where it says so, and kept as it was where it does not', async () => {
    instructions = 'Speak German.';
    const [keeping, adopting] = await Promise.all(
      ['keeping', 'adopting'].map((agent) => served.client.start(agent, { mode: 'chat' })),
    );
    if (keeping === undefined || adopting === undefined) throw new Error('two were started');
    for (const chat of [keeping, adopting]) {
      expect(JSON.stringify(await say(chat, 'One'))).toContain('Speak German.');
    }
    instructions = 'Speak French.';
    expect(JSON.stringify(await say(keeping, 'Two'))).toContain('Speak German.');
    expect(JSON.stringify(await say(adopting, 'Two'))).toContain('Speak French.');
    for (const chat of [keeping, adopting]) await chat.close();
  });

  test('into something that fails leaves the chat as it was, and says why', async () => {
    instructions = 'Speak German.';
    const chat = await served.client.start('adopting', { mode: 'chat' });
    await say(chat, 'One');
    instructions = undefined;
    expect(JSON.stringify(await say(chat, 'Two'))).toContain('Speak German.');
    const notes = (await chat.entries()).filter(({ entry }) => entry.kind === 'note');
    expect(JSON.stringify(notes)).toContain('the file is not there');
    await chat.close();
  });
});
