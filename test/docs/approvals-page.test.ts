import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, inject, test } from 'vitest';
import type { ApprovalRequest, ConversationHandle } from '../../src/client/index.ts';
import { REFUSAL_CODES } from '../../src/core/refusal.ts';
import { findTemporalCli } from '../../src/embedded-server/find-temporal-cli.ts';
import { untilTurn, untilWaiting } from '../support/approvals.ts';
import { docBlocks } from '../support/doc-blocks.ts';
import { findProgram } from '../support/find-program.ts';
import { servePage } from '../support/serve-page.ts';

const PAGE = new URL('../../docs/approvals.md', import.meta.url);
const blocks = await docBlocks(PAGE);
const page = servePage(PAGE);
const curl = findProgram('curl', 'apt-get install curl');

/** A chat with as many payments that wait as the message names. */
async function waiting(message: string, count: number, id?: string) {
  const conversation = await page.client.start('clerk', {
    mode: 'chat',
    message,
    by: { id: 'shop' },
    ...(id === undefined ? {} : { id }),
  });
  return { conversation, requests: await untilWaiting(conversation, count) };
}

/** The server's index is a moment behind. */
async function untilListed({ id }: ConversationHandle): Promise<void> {
  const isListed = async () => {
    for await (const { conversationId } of page.client.approvals.list()) {
      if (conversationId === id) return true;
    }
    return false;
  };
  await expect.poll(isListed, { timeout: 30_000 }).toBe(true);
}

/** The commands of the page's shell block that begins so, each with its continuation lines. */
function commands(start: string): readonly string[] {
  const code = blocks.find(
    (block) => block.language === 'sh' && block.code.startsWith(start),
  )?.code;
  if (code === undefined) throw new Error(`the page has no shell block that begins with ${start}`);
  return code.trim().split(/\n(?! )/);
}

/** Puts what a reader would paste in the place of the dots. */
function pasted(command: string | undefined, value: string | undefined): string {
  if (command?.includes('…') !== true) throw new Error(`nothing to paste into: ${command}`);
  return command.replace('…', value ?? '');
}

/** How the payments ended, with what they were of at last. */
async function outcomes(conversation: ConversationHandle) {
  await untilTurn(conversation, 1);
  const { calls } = await conversation.record();
  return calls.map(({ planned, effectiveInput, result }) => {
    const { euros } = (effectiveInput ?? planned.input) as { readonly euros: number };
    return `${result?.outcome} €${euros}`;
  });
}

const keyOf = (request: ApprovalRequest | undefined) => request?.key;

describe('the page about approvals', () => {
  test('its TypeScript compiles as it is written', () => page.compile());

  test('its inbox lists what waits and approves it', async () => {
    const { conversation } = await waiting('Pay 20.', 1);
    await untilListed(conversation);
    expect(await page.run('inbox.ts')).toBe('pay €20 to acme: approved, update');
    expect(await outcomes(conversation)).toEqual(['ok €20']);
  });

  test('its forms deny, change, remember and take back', async () => {
    const { conversation } = await waiting('Pay 20, 30 and 40.', 3);
    expect(await page.run('forms.ts', conversation.id)).toBe('pay is asked about again');
    expect(await outcomes(conversation)).toEqual(['denied €20', 'ok €15', 'ok €40']);
  });

  test.skipIf(curl === undefined)('its curl commands list, approve and deny', async () => {
    const { conversation, requests } = await waiting('Pay 20 and 30.', 2, 'invoice-1');
    const [where = '', list = '', approve, deny] = commands('conversation=');
    const server = where
      .replace('127.0.0.1:7243', `127.0.0.1:${inject('temporalHttpPort')}`)
      .replace('namespaces/default', `namespaces/${page.namespace}`);
    const sh = (command: string) => page.shell(`${server}\n${command}`);
    expect(JSON.parse(await sh(list)).queryResult[0].items).toMatchObject(
      requests.map(({ key, digest }) => ({ key, digest, tool: 'pay' })),
    );
    const refused = JSON.parse(
      await sh(pasted(approve, 'another').replace('verdict-1', 'verdict-0')),
    );
    expect(refused.outcome.failure.applicationFailureInfo).toMatchObject({
      type: 'PerdureRefusal',
      details: [{ code: 'unknown_call', keys: requests.map(keyOf) }],
    });
    expect(refused.outcome.failure.stackTrace ?? '').toBe('');
    const answer = JSON.parse(await sh(pasted(approve, keyOf(requests[0]))));
    expect(answer.outcome.success).toMatchObject([{ decision: 'approve', by: { id: 'ana' } }]);
    await sh(pasted(deny, keyOf(requests[1])));
    expect(await outcomes(conversation)).toEqual(['ok €20', 'denied €30']);
  });

  test('its temporal commands list, approve, deny and take back', async () => {
    const { conversation, requests } = await waiting('Pay 20 and 30.', 2, 'invoice-2');
    const { path } = await findTemporalCli({ log: () => {} });
    const sh = (command = '') => page.shell(`temporal() { '${path}' "$@"; }\n${command}`);
    const [list, query, approve, deny, revoke] = commands('temporal ');
    await untilListed(conversation);
    expect(await sh(list)).toContain('invoice-2');
    expect(await sh(query)).toContain(keyOf(requests[1]));
    expect(await sh(pasted(approve, keyOf(requests[0])))).toContain('decision:approve');
    await sh(pasted(deny, keyOf(requests[1])));
    expect(await outcomes(conversation)).toEqual(['ok €20', 'denied €30']);
    const { rules } = await conversation.status();
    await sh(pasted(revoke, rules[0]?.id));
    expect((await conversation.status()).rules).toEqual([]);
  });

  test('its perdure commands do the same', async () => {
    const { conversation, requests } = await waiting('Pay 20 and 30.', 2, 'invoice-3');
    const [list = '', approve, deny, revoke = ''] = commands('perdure ');
    await untilListed(conversation);
    expect(await page.shell(list)).toMatch(/invoice-3.*pay €30/);
    await page.shell(pasted(approve, keyOf(requests[0])));
    await page.shell(pasted(deny, keyOf(requests[1])));
    expect(await outcomes(conversation)).toEqual(['ok €15', 'denied €30']);
    expect(await page.shell(revoke)).toMatch(/pay is asked about again/);
  });

  test('every code block is one of those', () => {
    expect(blocks.map(({ language, file }) => file ?? language)).toEqual([
      'agents.ts',
      'inbox.ts',
      'forms.ts',
      'sh',
      'sh',
      'sh',
    ]);
  });
});

test('the page lists every refusal that there is, and each is one that the code sends', async () => {
  const text = await readFile(PAGE, 'utf8');
  const [, section = ''] = text.split('\n## Refusals\n');
  const [table = ''] = section.split('\n## ');
  const listed = [...table.matchAll(/^\| `(\w+)`/gm)].map(([, code]) => code);
  expect(new Set(listed)).toEqual(new Set(REFUSAL_CODES));
  expect(listed).toHaveLength(REFUSAL_CODES.length);

  const source = fileURLToPath(new URL('../../src', import.meta.url));
  const files = (await readdir(source, { recursive: true })).filter(
    (file) => file.endsWith('.ts') && !file.endsWith('refusal.ts'),
  );
  const code = (
    await Promise.all(files.map((file) => readFile(join(source, file), 'utf8')))
  ).join();
  expect(REFUSAL_CODES.filter((each) => !code.includes(`'${each}'`))).toEqual([]);
});
