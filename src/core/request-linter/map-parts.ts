import type { Part } from '../content.ts';
import type { RequestMessage } from '../model-request.ts';
import { mapSame } from './keep-same.ts';

/** Changes the parts of user messages and results; `at()` names the part. The same array when none changed. */
export function mapParts(
  messages: readonly RequestMessage[],
  change: (part: Part, at: () => string) => Part,
): readonly RequestMessage[] {
  return mapSame(messages, (message, index): RequestMessage => {
    switch (message.role) {
      case 'assistant':
        return message;
      case 'user': {
        const content = mapSame(message.content, (part, n) =>
          change(part, () => `messages[${index}].content[${n}]`),
        );
        return content === message.content ? message : { ...message, content };
      }
      case 'tool': {
        const results = mapSame(message.results, (result, r) => {
          const content = mapSame(result.content, (part, n) =>
            change(part, () => `messages[${index}].results[${r}].content[${n}]`),
          );
          return content === result.content ? result : { ...result, content };
        });
        return results === message.results ? message : { ...message, results };
      }
    }
  });
}

/** Whether there is an image or a document among the parts. */
export function hasParts(messages: readonly RequestMessage[]): boolean {
  const isPart = ({ type }: Part) => type !== 'text';
  return messages.some((message) => {
    if (message.role === 'assistant') return false;
    return message.role === 'user'
      ? message.content.some(isPart)
      : message.results.some(({ content }) => content.some(isPart));
  });
}

/** What stands for an image or a document that cannot be sent. */
export function leftOut(part: Exclude<Part, { readonly type: 'text' }>, why: string): Part {
  const name = part.name === undefined ? '' : ` "${part.name}"`;
  return { type: 'text', text: `[${part.type} ${part.mediaType}${name} left out: ${why}]` };
}
