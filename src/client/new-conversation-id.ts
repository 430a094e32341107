import { randomInt } from 'node:crypto';

/** No vowels and no look-alikes: no words by accident, and it can be read out. */
const LETTERS = '23456789bcdfghjkmnpqrstvwxz';
const LENGTH = 10;

/** `<agent>-<random>`: readable, and unique enough for all conversations of a namespace. */
export function newConversationId(agent: string): string {
  const random = Array.from({ length: LENGTH }, () => LETTERS.charAt(randomInt(LETTERS.length)));
  return `${agent}-${random.join('')}`;
}
