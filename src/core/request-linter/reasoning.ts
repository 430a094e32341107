import type { AssistantMessage } from '../model-request.ts';
import { mapSame } from './keep-same.ts';
import { isSigned, rewrittenTurn } from './rewritten-turn.ts';
import type { MessageRule } from './rule.ts';

/**
 * Signed reasoning is sent back only in the raw form that it came in, and never as the end of a
 * turn (which a cut completion can leave).
 */
export const reasoning: MessageRule = (messages, { report }) =>
  mapSame(messages, (message, index) => {
    if (message.role !== 'assistant' || !isUnlawful(message)) return message;
    report(
      `messages[${index}]`,
      message.raw === null
        ? 'signed reasoning was left out: the turn is not sent in its raw form'
        : 'a turn that ended with signed reasoning was rendered without it',
    );
    return rewrittenTurn(message, message.blocks);
  });

function isUnlawful({ raw, blocks }: AssistantMessage): boolean {
  if (raw === null) return blocks.some(isSigned);
  const last = blocks.at(-1);
  return last !== undefined && isSigned(last);
}
