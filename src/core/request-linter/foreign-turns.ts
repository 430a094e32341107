import type { AssistantMessage } from '../model-request.ts';
import { mapSame } from './keep-same.ts';
import { rewrittenTurn } from './rewritten-turn.ts';
import type { MessageRule } from './rule.ts';

/**
 * Turns that another provider made, after a change of the model: only text, calls and open
 * reasoning are understood elsewhere; signed reasoning and the provider's own blocks are not.
 */
export const foreignTurns: MessageRule = (messages, { format, report }) => {
  if (format === undefined) return messages;
  return mapSame(messages, (message, index) => {
    if (message.role !== 'assistant' || message.format === format) return message;
    if (message.raw === null && message.blocks.every(({ type }) => type !== 'opaque')) {
      return message;
    }
    report(`messages[${index}]`, whatIsLost(message, format));
    return rewrittenTurn(
      message,
      message.blocks.filter(({ type }) => type !== 'opaque'),
    );
  });
};

function whatIsLost(message: AssistantMessage, format: string): string {
  return `a turn in the format ${message.format} was rendered for ${format}; signed reasoning and the provider's own blocks are left out`;
}
