import type { Part } from '../content.ts';
import type { RequestMessage, ToolMessage, ToolResultPart } from '../model-request.ts';
import { mapSame } from './keep-same.ts';
import type { MessageRule } from './rule.ts';

/** A failed call's result holds text only: its images and documents follow in a user message. */
export const errorResults: MessageRule = (messages, { report }) => {
  if (!messages.some(hasBinaryError)) return messages;
  return messages.flatMap((message, index): readonly RequestMessage[] => {
    if (!hasBinaryError(message)) return [message];
    report(
      `messages[${index}]`,
      'images and documents of a failed call were moved behind the results: an error holds text only',
    );
    return [textOnly(message), { role: 'user', content: message.results.flatMap(movedParts) }];
  });
};

function hasBinaryError(message: RequestMessage): message is ToolMessage {
  return message.role === 'tool' && message.results.some(hasBinary);
}

function hasBinary({ isError, content }: ToolResultPart): boolean {
  return isError && content.some((part) => part.type !== 'text');
}

function textOnly(message: ToolMessage): ToolMessage {
  const results = mapSame(message.results, (result) => {
    if (!hasBinary(result)) return result;
    return { ...result, content: result.content.filter((part) => part.type === 'text') };
  });
  return { ...message, results };
}

function movedParts(result: ToolResultPart): readonly Part[] {
  if (!hasBinary(result)) return [];
  const moved = result.content.filter((part) => part.type !== 'text');
  return [{ type: 'text', text: `[From the failed call of ${result.tool}:]` }, ...moved];
}
