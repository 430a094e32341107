import type { Part } from '../content.ts';
import type { RequestMessage, ToolResultPart } from '../model-request.ts';
import { mapSame, sameOr } from './keep-same.ts';
import { lossOf, rewrittenTurn } from './rewritten-turn.ts';
import type { MessageRule, RuleContext } from './rule.ts';

/** What stands for a result without content: that it is there is itself news. */
const EMPTY_RESULT: Part = { type: 'text', text: '[The result is empty.]' };

/** Text that is empty or only white space is dropped, and what is empty without it. */
export const emptyText: MessageRule = (messages, context) => {
  const mended = messages.map((message, index) => withoutEmptyText(message, index, context));
  return sameOr(
    messages,
    mended.filter((message) => message !== undefined),
  );
};

function withoutEmptyText(
  message: RequestMessage,
  index: number,
  { report }: RuleContext,
): RequestMessage | undefined {
  switch (message.role) {
    case 'user': {
      const content = withWords(message.content);
      if (content === message.content && content.length > 0) return message;
      report(
        `messages[${index}]`,
        content.length === 0 ? 'an empty message was dropped' : 'empty text was dropped',
      );
      return content.length === 0 ? undefined : { ...message, content };
    }
    case 'tool': {
      const results = mapSame(message.results, (result, n) => {
        const mended = filledResult(result);
        if (mended !== result) {
          report(`messages[${index}].results[${n}]`, 'empty text was dropped or replaced');
        }
        return mended;
      });
      return results === message.results ? message : { ...message, results };
    }
    case 'assistant': {
      const blocks = withWords(message.blocks);
      if (blocks === message.blocks && blocks.length > 0) return message;
      const turn = rewrittenTurn(message, blocks);
      const isEmpty = turn.blocks.length === 0;
      report(
        `messages[${index}]`,
        isEmpty ? 'an empty turn was dropped' : `empty text was dropped${lossOf(message)}`,
      );
      return isEmpty ? undefined : turn;
    }
  }
}

function filledResult(result: ToolResultPart): ToolResultPart {
  const content = withWords(result.content);
  if (content.length === 0) return { ...result, content: [EMPTY_RESULT] };
  return content === result.content ? result : { ...result, content };
}

function withWords<T extends { readonly type: string }>(items: readonly T[]): readonly T[] {
  const isEmpty = (item: T) =>
    item.type === 'text' && 'text' in item && String(item.text).trim() === '';
  return items.some(isEmpty) ? items.filter((item) => !isEmpty(item)) : items;
}
