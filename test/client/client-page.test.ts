import { describe, expect, test } from 'vitest';
import { servePage } from '../support/serve-page.ts';

const page = servePage(new URL('../../docs/client.md', import.meta.url));

describe('the page about the client', () => {
  test('its TypeScript compiles as it is written', () => page.compile());

  test('a run is started, approved and answered', async () => {
    expect(await page.run('start.ts')).toBe(
      'may it refund 12.00 for A-1?\nanswered: You got your money back.',
    );
  });

  test('a chat takes a message, refuses white space, and is read back', async () => {
    const [turn, refused, answer, ...entries] = (await page.run('chat.ts')).split('\n');
    expect(turn).toBe('turn 1: started');
    expect(refused).toMatch(/^invalid_message: /);
    expect(answer).toBe('This is my answer number 1.');
    expect(entries).toEqual(['user: "Hello"', 'agent: "This is my answer number 1."']);
  });

  test('a watcher prints each text once', async () => {
    expect(await page.run('watch.ts')).toBe('This is my answer number 1.');
  });

  test('the lists can be asked', async () => {
    await page.run('lists.ts');
  });
});
