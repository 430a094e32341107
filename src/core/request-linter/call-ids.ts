import type { AssistantMessage, RequestMessage, ToolMessage } from '../model-request.ts';
import { mapSame } from './keep-same.ts';
import { lossOf, rewrittenTurn } from './rewritten-turn.ts';
import type { MessageRule } from './rule.ts';

/**
 * Ids of calls are unique in the whole conversation and not empty. The first with an id keeps it.
 * Runs after pairing: the results of a turn are in the next message, in call order.
 */
export const callIds: MessageRule = (messages, { report }) => {
  const taken = new Set<string>();
  let newIds: readonly string[] | undefined;
  return mapSame(messages, (message, index): RequestMessage => {
    if (message.role === 'assistant') {
      const mended = withUniqueIds(message, taken);
      newIds = mended === message ? undefined : idsOf(mended);
      if (mended !== message) {
        report(
          `messages[${index}]`,
          `call ids that were empty or had been used were replaced${lossOf(message)}`,
        );
      }
      return mended;
    }
    return message.role === 'tool' && newIds !== undefined ? withIds(message, newIds) : message;
  });
};

function withUniqueIds(message: AssistantMessage, taken: Set<string>): AssistantMessage {
  const blocks = mapSame(message.blocks, (block) => {
    if (block.type !== 'tool_call') return block;
    const id = freeId(block.id, taken);
    taken.add(id);
    return id === block.id ? block : { ...block, id };
  });
  return blocks === message.blocks ? message : rewrittenTurn(message, blocks);
}

function withIds(message: ToolMessage, ids: readonly string[]): ToolMessage {
  const results = mapSame(message.results, (result, n) => {
    const callId = ids[n] ?? result.callId;
    return callId === result.callId ? result : { ...result, callId };
  });
  return results === message.results ? message : { ...message, results };
}

function idsOf(message: AssistantMessage): readonly string[] {
  return message.blocks.flatMap((block) => (block.type === 'tool_call' ? [block.id] : []));
}

/** Depends on what came before alone, so that earlier messages stay as they were sent. */
function freeId(wanted: string, taken: ReadonlySet<string>): string {
  const base = wanted.trim() === '' ? 'call' : wanted;
  if (!taken.has(base)) return base;
  let n = 2;
  while (taken.has(`${base}_${n}`)) n += 1;
  return `${base}_${n}`;
}
