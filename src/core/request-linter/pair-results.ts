import type { RequestMessage, ToolCallBlock, ToolResultPart } from '../model-request.ts';
import { outcomeText } from '../outcome.ts';
import { sameOr } from './keep-same.ts';
import type { MessageRule, RuleContext } from './rule.ts';

/** A call, and the result that is its own. */
interface Pair {
  readonly call: ToolCallBlock;
  result?: ToolResultPart;
}

/**
 * Every call has exactly one result, in the one tool message directly after its turn, in call
 * order. Results go to the nearest turn before them with an unanswered call of their id; what fits
 * no call is dropped; a call without a result gets one that says so.
 */
export const pairResults: MessageRule = (messages, context) => {
  const pairs = pairUp(messages, context);
  const paired = messages.flatMap((message, index): RequestMessage[] => {
    if (message.role === 'tool') return [];
    const ofTurn = pairs.get(index);
    if (ofTurn === undefined) return [message];
    return [message, toolMessageFor(ofTurn, messages[index + 1], index, context)];
  });
  return sameOr(messages, paired);
};

function pairUp(
  messages: readonly RequestMessage[],
  { report }: RuleContext,
): ReadonlyMap<number, readonly Pair[]> {
  const pairs = new Map<number, readonly Pair[]>();
  const turns: (readonly Pair[])[] = [];
  messages.forEach((message, index) => {
    if (message.role === 'assistant') {
      const calls = message.blocks.filter((block) => block.type === 'tool_call');
      if (calls.length === 0) return;
      const ofTurn = calls.map((call): Pair => ({ call }));
      pairs.set(index, ofTurn);
      turns.push(ofTurn);
    }
    if (message.role !== 'tool') return;
    if (message.results.length === 0) report(`messages[${index}]`, 'a message was empty');
    message.results.forEach((result, n) => {
      const pair = unansweredCall(turns, result.callId);
      if (pair !== undefined) pair.result = result;
      else report(`messages[${index}].results[${n}]`, 'a result of no call was dropped');
    });
  });
  return pairs;
}

function unansweredCall(turns: readonly (readonly Pair[])[], callId: string): Pair | undefined {
  for (let index = turns.length - 1; index >= 0; index -= 1) {
    const pair = turns[index]?.find(
      ({ call, result }) => call.id === callId && result === undefined,
    );
    if (pair !== undefined) return pair;
  }
  return undefined;
}

function toolMessageFor(
  pairs: readonly Pair[],
  next: RequestMessage | undefined,
  index: number,
  { report }: RuleContext,
): RequestMessage {
  const results = pairs.map(({ call, result }) => {
    if (result === undefined) {
      report(
        `messages[${index}]`,
        `the call ${JSON.stringify(call.id)} had no result and got one that says so`,
      );
      return missingResult(call);
    }
    return result.tool === call.name ? result : { ...result, tool: call.name };
  });
  if (next?.role === 'tool' && sameOr(next.results, results) === next.results) return next;
  if (pairs.some(({ result }) => result !== undefined)) {
    report(
      `messages[${index}]`,
      'the results of the turn were put directly after it, in call order',
    );
  }
  return { role: 'tool', results };
}

function missingResult(call: ToolCallBlock): ToolResultPart {
  const text = outcomeText({ outcome: 'outcome_unknown', effect: 'unknown', message: '' });
  return { callId: call.id, tool: call.name, content: [{ type: 'text', text }], isError: true };
}
