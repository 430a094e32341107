import { describe, expect, test } from 'vitest';
import { readLooseArguments } from '../../src/models/read-loose-arguments.ts';

describe('arguments in a Markdown fence', () => {
  test.each([
    '```json\n{"id":1}\n```',
    ' ```\n\n{"id":1}```\n',
    '```{"id":1}```',
    '```json  \r\n{"id":1}\r\n  ```  ',
  ])('are read: %j', (text) => {
    expect(readLooseArguments(text)).toEqual({ input: { id: 1 } });
  });

  test.each([
    '```json\n{"id":1}\n```\nand\n```json\n{"id":2}\n```',
    '```json\n{"id":1}',
    '```',
    '``````',
    '```json\n[1]\n```',
  ])('are not guessed: %j', (text) => {
    expect(readLooseArguments(text)).toHaveProperty('malformed');
  });

  // Some models write white space until their tokens are used up.
  test('that never end are malformed, a megabyte later', () => {
    expect(readLooseArguments(`\`\`\`json\n${'\n'.repeat(1_000_000)}{`)).toHaveProperty(
      'malformed',
    );
  });
});
