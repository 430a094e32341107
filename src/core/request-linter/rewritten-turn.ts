import type { AssistantMessage, Block } from '../model-request.ts';

/**
 * An assistant turn with other blocks than its provider sent. It can no longer be sent in its raw
 * form, and signed reasoning is valid in that form only, so it goes.
 */
export function rewrittenTurn(
  message: AssistantMessage,
  blocks: readonly Block[],
): AssistantMessage {
  return { ...message, raw: null, blocks: blocks.filter((block) => !isSigned(block)) };
}

export function isSigned(block: Block): boolean {
  return block.type === 'reasoning' && block.signed;
}

/** For reports: what a rewritten turn loses besides. */
export function lossOf(message: AssistantMessage): string {
  return message.blocks.some(isSigned) ? '; the turn’s signed reasoning is left out with it' : '';
}
