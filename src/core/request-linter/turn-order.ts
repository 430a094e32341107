import type { RequestMessage, UserMessage } from '../model-request.ts';
import { sameOr } from './keep-same.ts';
import type { MessageRule, RuleContext } from './rule.ts';

/**
 * The first message is a user's, neighbours of one role are one message, and the last is not the
 * assistant's. Runs last: other rules drop and add messages.
 */
export const turnOrder: MessageRule = (messages, context) => {
  const ordered: RequestMessage[] = [];
  messages.forEach((message, index) => addInOrder(ordered, message, index, context));
  if (ordered.length === 0) {
    context.report('messages', 'a request without messages got a neutral one');
    ordered.push(neutral('[Earlier messages are left out.]'));
  }
  if (ordered.at(-1)?.role === 'assistant') {
    context.report('messages', 'a neutral user message was put after the assistant’s last turn');
    ordered.push(neutral('Go on.'));
  }
  return sameOr(messages, ordered);
};

function addInOrder(
  ordered: RequestMessage[],
  message: RequestMessage,
  index: number,
  { report }: RuleContext,
): void {
  const last = ordered.at(-1);
  const at = `messages[${index}]`;
  if (last === undefined && message.role !== 'user') {
    report(at, 'a neutral user message was put before the first turn');
    ordered.push(neutral('[Earlier messages are left out.]'));
  }
  if (last?.role === 'user' && message.role === 'user') {
    report(at, 'a user message was merged into the one before it');
    ordered[ordered.length - 1] = {
      role: 'user',
      content: [...last.content, ...message.content],
    };
    return;
  }
  if (last?.role === 'assistant' && message.role === 'assistant') {
    // To merge two turns would cost both their raw forms, and with them signed reasoning.
    report(at, 'a neutral user message was put between two turns of the assistant');
    ordered.push(neutral('Go on.'));
  }
  ordered.push(message);
}

function neutral(text: string): UserMessage {
  return { role: 'user', content: [{ type: 'text', text }] };
}
