import { expect, test } from 'vitest';
import { docBlocks } from '../support/doc-blocks.ts';
import { servePage } from '../support/serve-page.ts';

const url = new URL('../../docs/conversations.md', import.meta.url);
const page = servePage(url);
const SLOW = { timeout: 180_000 };

test(
  'the page about long conversations: each block is run, in the order in which it is read',
  SLOW,
  async () => {
    await page.compile();
    const [show = '', remove = '', collect = '', repair = ''] = (await docBlocks(url)).flatMap(
      ({ language, code }) => (language === 'sh' ? [code] : []),
    );

    const [answer, calls, ...rest] = (await page.run('read.ts')).split('\n');
    expect(answer).toBe('They lived happily ever after.');
    expect(calls).toBe('20 calls');
    expect(rest.join('\n')).toMatch(/the first \d+ entries became a summary/);
    expect(rest.join('\n')).toMatch(/54010 bytes: Page 3\. … whole: 54008 characters/);

    expect(await page.shell(repair)).toMatch(/workflow task: none, the conversation has ended/);

    // What the server does when the time is over.
    const conversation = page.client.handle('book-1');
    for (const runId of (await conversation.record()).runs) {
      await page.client.temporal.workflowService.deleteWorkflowExecution({
        namespace: page.namespace,
        workflowExecution: { workflowId: 'book-1', runId },
      });
    }
    await expect
      .poll(() => conversation.describe().then(String, (error: Error) => error.name), SLOW)
      .toBe('ConversationNotFound');
    expect(await page.shell(show)).toMatch(/book-1[^]*They lived happily ever after\./);

    expect(await page.shell(collect)).toMatch(/0 conversations.*\n[^]*1 kept/);
    expect(await page.shell(remove)).toMatch(/^deleted book-1: 0 runs, [1-9]\d* blobs/);
    expect(await page.run('forget.ts')).toBe('{ runs: 0, blobs: 0, events: true }');
  },
);
