import type { Part } from '../../../src/core/content.ts';
import type { ModelRequest, RequestMessage } from '../../../src/core/model-request.ts';

/**
 * The rules of the model APIs, written down a second time and in another way than the linter's: what
 * is wrong with a request, one line each. Knows nothing of the linter.
 */
export function violationsOf(request: ModelRequest, format?: string): string[] {
  const { messages } = request;
  const wrong: string[] = [];
  const expect = (holds: boolean, words: string) => {
    if (!holds) wrong.push(words);
  };
  const ids: string[] = [];
  let images = 0;

  const checkParts = (parts: readonly Part[], at: string) => {
    expect(parts.length > 0, `${at}: no content`);
    for (const part of parts) {
      if (part.type === 'text') expect(/\S/.test(part.text), `${at}: blank text`);
      else expect(isWellMade(part), `${at}: bad ${part.type}`);
      if (part.type === 'image') images += 1;
    }
  };

  const roles = messages.map(({ role }) => role[0]).join('');
  expect(
    /^(u|at|a(?=u))+$/.test(roles) && roles.startsWith('u') && !roles.includes('uu'),
    `order of roles: ${roles}`,
  );
  for (const [index, message] of messages.entries()) {
    const at = `messages[${index}]`;
    if (message.role === 'user') checkParts(message.content, at);
    if (message.role === 'tool') {
      expect(message.results.length > 0, `${at}: no results`);
      for (const { content, isError, callId } of message.results) {
        checkParts(content, `${at} result ${callId}`);
        if (isError)
          expect(
            content.every(({ type }) => type === 'text'),
            `${at}: error with image`,
          );
      }
    }
    if (message.role === 'assistant') {
      const { blocks, raw } = message;
      expect(blocks.length > 0, `${at}: empty turn`);
      for (const block of blocks) {
        if (block.type === 'text') expect(/\S/.test(block.text), `${at}: blank text`);
        if (block.type === 'reasoning' && block.signed) {
          expect(raw !== null, `${at}: signed reasoning without raw`);
          expect(block !== blocks.at(-1), `${at}: ends with signed reasoning`);
        }
        if (block.type === 'opaque' && format !== undefined) {
          expect(message.format === format, `${at}: foreign block`);
        }
        if (block.type === 'tool_call') {
          expect(/^[A-Za-z0-9_-]{1,64}$/.test(block.name), `${at}: name ${block.name}`);
          expect(Object.prototype.toString.call(block.input) === '[object Object]', `${at}: input`);
        }
      }
      if (format !== undefined) {
        expect(raw === null || message.format === format, `${at}: raw of another format`);
      }
      const calls = callIdsOf(message);
      ids.push(...calls);
      const next = messages[index + 1];
      const answered = next?.role === 'tool' ? next.results.map(({ callId }) => callId) : [];
      expect(
        calls.join('|') === answered.join('|'),
        `${at}: calls ${calls.join()} answered ${answered.join()}`,
      );
    }
  }
  expect(new Set(ids).size === ids.length, `call ids repeat: ${ids.join()}`);
  expect(
    ids.every((id) => /\S/.test(id)),
    'empty call id',
  );
  expect(images <= 100, `${images} images`);
  expect(isSendable(request), 'a text that is no UTF-8, or holds NUL');
  return wrong;
}

const callIdsOf = (message: RequestMessage) =>
  message.role === 'assistant'
    ? message.blocks.flatMap((block) => (block.type === 'tool_call' ? [block.id] : []))
    : [];

function isWellMade(part: Exclude<Part, { type: 'text' }>): boolean {
  if (part.data === undefined || part.data === '') return false;
  const bytes = Buffer.from(part.data, 'base64');
  if (bytes.toString('base64') !== part.data) return false;
  if (part.type === 'document') return true;
  const isPng = bytes.length > 23 && part.mediaType === 'image/png';
  if (isPng && Math.max(bytes.readUInt32BE(16), bytes.readUInt32BE(20)) > 8_000) return false;
  const magic: Record<string, string> = {
    'image/png': '89504e47',
    'image/jpeg': 'ffd8ff',
    'image/gif': '47494638',
    'image/webp': '52494646',
  };
  const expected = magic[part.mediaType];
  return expected === undefined || bytes.toString('hex').startsWith(expected);
}

/** UTF-8 there and back changes nothing, and no text holds NUL. */
function isSendable(value: unknown): boolean {
  if (typeof value === 'string') {
    return !value.includes('\0') && Buffer.from(value, 'utf8').toString('utf8') === value;
  }
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every(([key, item]) => isSendable(key) && isSendable(item));
}
