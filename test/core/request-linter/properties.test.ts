import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { textOf } from '../../../src/core/content.ts';
import type { ModelRequest, RequestMessage } from '../../../src/core/model-request.ts';
import { lintRequest } from '../../../src/core/request-linter/lint-request.ts';
import { request } from './build-request.ts';
import { violationsOf } from './check-request.ts';
import { anyMessages, damagedMessages, validMessages } from './generate-history.ts';

/** The machine may be busy: what counts is that the properties hold, not how fast. */
vi.setConfig({ testTimeout: 60_000 });

const RUNS = 1_000;
const formats = fc.constantFrom(undefined, 'own', 'another');
const histories = fc.oneof(anyMessages, damagedMessages);

function lint(messages: readonly RequestMessage[], format?: string): ModelRequest {
  const answer = lintRequest(request(messages), format === undefined ? {} : { format });
  if ('problem' in answer) throw new Error(answer.problem.message);
  return answer.request;
}

/** Each call with the result that answers it. */
function pairsOf({ messages }: ModelRequest) {
  return messages.flatMap((message, index) => {
    const next = messages[index + 1];
    if (message.role !== 'assistant' || next?.role !== 'tool') return [];
    const calls = message.blocks.filter((block) => block.type === 'tool_call');
    return calls.map((call, n) => ({ call, result: next.results[n] }));
  });
}

describe('of any history', () => {
  test('the linter makes a valid request', () => {
    fc.assert(
      fc.property(histories, formats, (messages, format) => {
        expect(violationsOf(lint(messages, format), format)).toEqual([]);
      }),
      { numRuns: RUNS },
    );
  });

  test('a second pass changes nothing', () => {
    fc.assert(
      fc.property(histories, formats, (messages, format) => {
        const once = lint(messages, format);
        const again = lintRequest(once, format === undefined ? {} : { format });
        expect(again).toEqual({ request: once, repairs: [] });
        expect((again as { request: unknown }).request).toBe(once);
      }),
      { numRuns: RUNS },
    );
  });

  test('a result stands with the call that it was made for', () => {
    fc.assert(
      fc.property(anyMessages, (messages) => {
        for (const { call, result } of pairsOf(lint(messages))) {
          const made = /^for <(.*)>$/.exec(textOf(result?.content ?? []))?.[1];
          const of = (call.input as { of?: string }).of;
          if (made === undefined || of === undefined) continue;
          expect(made.replaceAll('\\u0000', '\ufffd')).toBe(JSON.stringify(of));
        }
      }),
      { numRuns: RUNS },
    );
  });

  test('no words of a user are lost', () => {
    fc.assert(
      fc.property(histories, (messages) => {
        const said = (all: readonly RequestMessage[]) =>
          all.flatMap((message) =>
            message.role === 'user'
              ? message.content.flatMap((part) => (part.type === 'text' ? [part.text] : []))
              : [],
          );
        const left = said(lint(messages).messages);
        for (const words of said(messages)) {
          if (words.trim() === '' || /[\0\ud800-\udfff]/.test(words)) continue;
          expect(left).toContain(words);
        }
      }),
    );
  });

  test('a history is repaired exactly when something is wrong with it', () => {
    fc.assert(
      fc.property(fc.oneof(histories, validMessages), (messages) => {
        const isValid = violationsOf(request(messages)).length === 0;
        const answer = lintRequest(request(messages));
        if ('problem' in answer) throw new Error(answer.problem.message);
        expect(answer.request.messages === messages).toBe(isValid);
        expect(answer.repairs.length === 0).toBe(isValid);
      }),
      { numRuns: RUNS },
    );
  });
});

test('a valid history comes back as the very same object', () => {
  fc.assert(
    fc.property(validMessages, (messages) => {
      const valid = request(messages);
      expect(violationsOf(valid)).toEqual([]);
      expect((lintRequest(valid, { format: 'own' }) as { request: unknown }).request).toBe(valid);
    }),
    { numRuns: RUNS },
  );
});

test('what was sent before is sent again unchanged when the conversation goes on', () => {
  fc.assert(
    fc.property(validMessages, fc.array(fc.constantFrom('same', '', 'x')), (messages, ids) => {
      const damaged = messages.map((message, n) => renamed(message, ids[n]));
      const whole = lint(damaged).messages;
      damaged.forEach((message, n) => {
        if (message.role !== 'assistant' || n === 0) return;
        const sent = lint(damaged.slice(0, n)).messages;
        expect(whole.slice(0, sent.length)).toEqual(sent);
      });
    }),
    { numRuns: 300 },
  );
});

test('a message that was found right before is judged as one that was never seen', () => {
  const takes = fc.constantFrom({}, { images: false }, { documents: false });
  const limits = fc.constantFrom({}, { imagePixels: 1 }, { images: 0 });
  const judged = fc.record({ format: formats, takes, limits });
  fc.assert(
    fc.property(
      fc.oneof(histories, validMessages),
      fc.array(fc.nat(9)),
      judged,
      judged,
      (messages, order, before, now) => {
        const optionsOf = ({ format, ...rest }: typeof now) =>
          format === undefined ? rest : { format, ...rest };
        lintRequest(request(messages), optionsOf(before));
        const again = order.flatMap((n) => messages[n] ?? []);
        const unseen = structuredClone(again);
        expect(lintRequest(request(again), optionsOf(now))).toEqual(
          lintRequest(request(unseen), optionsOf(now)),
        );
      },
    ),
    { numRuns: RUNS },
  );
});

/** One id for all calls of a turn and their results. */
function renamed(message: RequestMessage, id: string | undefined): RequestMessage {
  if (id === undefined) return message;
  if (message.role === 'assistant') {
    const blocks = message.blocks.map((block) =>
      block.type === 'tool_call' ? { ...block, id } : block,
    );
    return { ...message, blocks };
  }
  return message;
}
