import type { Part } from '../../../src/core/content.ts';
import type { Json } from '../../../src/core/json.ts';
import type {
  AssistantMessage,
  Block,
  ModelRequest,
  RequestMessage,
  ToolMessage,
  ToolResultPart,
  UserMessage,
} from '../../../src/core/model-request.ts';

export const text = (words: string) => ({ type: 'text', text: words }) as const;

export const user = (...content: (string | Part)[]): UserMessage => ({
  role: 'user',
  content: content.map((part) => (typeof part === 'string' ? text(part) : part)),
});

export const call = (id: string, more: { name?: string; input?: Json } = {}): Block => ({
  type: 'tool_call',
  id,
  name: 'look',
  input: {},
  ...more,
});

export const thought = (signed = true): Block => ({ type: 'reasoning', text: 'hm', signed });

/** A turn whose raw form is another value than its blocks, so that tests see which is kept. */
export const assistant = (...blocks: (string | Block)[]): AssistantMessage => {
  const made = blocks.map((block) => (typeof block === 'string' ? text(block) : block));
  const raw = { made: made as unknown as Json };
  return { role: 'assistant', format: 'own', model: 'own-1', raw, blocks: made };
};

export const result = (callId: string, more: Partial<ToolResultPart> = {}): ToolResultPart => ({
  callId,
  tool: 'look',
  content: [text(`result of ${callId}`)],
  isError: false,
  ...more,
});

export const tool = (...results: (string | ToolResultPart)[]): ToolMessage => ({
  role: 'tool',
  results: results.map((one) => (typeof one === 'string' ? result(one) : one)),
});

export const request = (messages: readonly RequestMessage[]): ModelRequest => ({
  conversationId: 'c-1',
  system: 'Be exact.',
  tools: [{ name: 'look', description: 'Looks.', inputSchema: { type: 'object' } }],
  hostedTools: [],
  messages,
  maxOutputTokens: 1_000,
  options: {},
});

/** The beginning of a PNG of this size: enough for everything that is judged. */
export function png(width = 10, height = 10): string {
  const header = Buffer.alloc(33);
  header.write('\x89PNG\r\n\x1a\n', 0, 'latin1');
  header.writeUInt32BE(13, 8);
  header.write('IHDR', 12, 'latin1');
  header.writeUInt32BE(width, 16);
  header.writeUInt32BE(height, 20);
  return header.toString('base64');
}

export const image = (data: string, mediaType = 'image/png') =>
  ({ type: 'image', mediaType, data }) as const;
