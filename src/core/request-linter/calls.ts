import { isJsonObject } from '../json.ts';
import type { Block } from '../model-request.ts';
import { TOOL_NAME } from '../names.ts';
import { mapSame } from './keep-same.ts';
import { lossOf, rewrittenTurn } from './rewritten-turn.ts';
import type { MessageRule } from './rule.ts';

const MAXIMUM_NAME_CHARACTERS = 64;

/** Names of calls as APIs take them: a model may have made one up that they refuse to take back. */
export const callNames: MessageRule = (messages, { report }) =>
  mapSame(messages, (message, index) => {
    if (message.role === 'user') return message;
    if (message.role === 'tool') {
      const results = mapSame(message.results, (result) =>
        TOOL_NAME.test(result.tool) ? result : { ...result, tool: lawfulName(result.tool) },
      );
      return results === message.results ? message : { ...message, results };
    }
    const blocks = mapSame(message.blocks, (block) => {
      if (block.type !== 'tool_call' || TOOL_NAME.test(block.name)) return block;
      report(
        `messages[${index}]`,
        `the call of ${JSON.stringify(block.name)} got a lawful name${lossOf(message)}`,
      );
      return { ...block, name: lawfulName(block.name) };
    });
    return blocks === message.blocks ? message : rewrittenTurn(message, blocks);
  });

/** Arguments are JSON objects. What was none is in the call's `malformed`, or named there now. */
export const callInputs: MessageRule = (messages, { report }) =>
  mapSame(messages, (message, index) => {
    if (message.role !== 'assistant') return message;
    const blocks = mapSame(message.blocks, (block): Block => {
      if (block.type !== 'tool_call' || isJsonObject(block.input)) return block;
      const malformed = block.malformed ?? 'the arguments were not a JSON object';
      report(
        `messages[${index}]`,
        `arguments that were not a JSON object became {}${lossOf(message)}`,
      );
      return { ...block, input: {}, malformed };
    });
    return blocks === message.blocks ? message : rewrittenTurn(message, blocks);
  });

function lawfulName(name: string): string {
  const lawful = name.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, MAXIMUM_NAME_CHARACTERS);
  return lawful === '' ? 'unnamed' : lawful;
}
