import { type Part, textOf } from '../../core/content.ts';
import type {
  AssistantMessage,
  ModelRequest,
  RequestMessage,
  ToolMessage,
} from '../../core/model-request.ts';
import { endMark, openMark, withoutMark } from './marks.ts';
import type { TextMessage } from './prompt.ts';
import { asRawTurn, sentText, TEXT_FORMAT } from './raw-turn.ts';

/**
 * The dialogue as text. Whatever comes from outside (users, documents, results) loses the
 * conversation's word, so that a quoted envelope is only text.
 */
export function renderMessages(
  request: Pick<ModelRequest, 'messages' | 'toolChoice'>,
  mark: string,
): readonly TextMessage[] {
  const rendered = request.messages.map((message) => renderMessage(message, mark));
  if (request.toolChoice === 'none') {
    rendered.push({ role: 'user', text: 'Call no more tools: give your final answer now.' });
  }
  return mergeNeighbours(rendered.filter(({ text, parts }) => text !== '' || parts !== undefined));
}

function renderMessage(message: RequestMessage, mark: string): TextMessage {
  switch (message.role) {
    case 'user':
      return fromParts(message.content, (text) => withoutMark(text, mark));
    case 'tool':
      return renderResults(message, mark);
    case 'assistant':
      return { role: 'assistant', text: renderTurn(message, mark) };
  }
}

function fromParts(content: readonly Part[], words: (text: string) => string): TextMessage {
  const parts = content.filter((part) => part.type !== 'text');
  const text = words(textOf(content));
  return { role: 'user', text, ...(parts.length === 0 ? {} : { parts }) };
}

function renderResults({ results }: ToolMessage, mark: string): TextMessage {
  const lines = results.flatMap(({ tool, callId, content, isError }) => [
    openMark(mark, `result ${tool} id=${callId}${isError ? ' error' : ''}`),
    withoutMark(textOf(content), mark),
  ]);
  const text = [...lines, endMark(mark)].join('\n');
  return fromParts(
    results.flatMap(({ content }) => content),
    () => text,
  );
}

function renderTurn(message: AssistantMessage, mark: string): string {
  const own = message.format === TEXT_FORMAT && message.raw !== null;
  const turn = own ? asRawTurn(message.raw) : undefined;
  if (turn !== undefined && (turn.mark === mark || turn.mark === null)) return sentText(turn);
  return renderBlocks(message, mark);
}

/** A turn that another adapter made, or that a repair changed. */
function renderBlocks({ blocks }: AssistantMessage, mark: string): string {
  const text = blocks
    .map((block) => (block.type === 'text' ? withoutMark(block.text, mark) : ''))
    .filter((words) => words.trim() !== '')
    .join('\n');
  const calls = blocks.flatMap((block) =>
    block.type === 'tool_call'
      ? [openMark(mark, `call ${block.name} id=${block.id}`), JSON.stringify(block.input)]
      : [],
  );
  if (calls.length > 0) return [text, ...calls, endMark(mark)].filter((l) => l !== '').join('\n');
  return text === '' ? '' : [openMark(mark, 'answer'), text, endMark(mark)].join('\n');
}

function mergeNeighbours(messages: readonly TextMessage[]): readonly TextMessage[] {
  const merged: TextMessage[] = [];
  for (const message of messages) {
    const last = merged.at(-1);
    if (last?.role !== message.role) {
      merged.push(message);
      continue;
    }
    const parts = [...(last.parts ?? []), ...(message.parts ?? [])];
    merged[merged.length - 1] = {
      role: last.role,
      text: [last.text, message.text].filter((text) => text !== '').join('\n\n'),
      ...(parts.length === 0 ? {} : { parts }),
    };
  }
  return merged;
}
