import fc from 'fast-check';
import type { Part } from '../../../src/core/content.ts';
import type {
  AssistantMessage,
  Block,
  RequestMessage,
  ToolMessage,
  ToolResultPart,
} from '../../../src/core/model-request.ts';
import { assistant, call, image, png, result, text, thought, tool, user } from './build-request.ts';

const badWords = fc.constantFrom('', ' ', '\n\t', '\0', 'half \ud83d', '\udc00', 'a\0b');
const goodWords = fc.constantFrom('a', 'look here', '😀', 'äöü', '{"a":1}', 'end ');
const words = fc.oneof({ weight: 3, arbitrary: goodWords }, { weight: 1, arbitrary: badWords });
const ids = fc.constantFrom('', 'a', 'b', 'c', 'a_2', 'call', 'call_2', '\0', ' ');
const names = fc.constantFrom('look', 'look', 'functions.look', '', 'x'.repeat(80));

const goodPart: fc.Arbitrary<Part> = fc.oneof(
  goodWords.map(text),
  fc.constant(image(png())),
  fc.constant({ type: 'document', mediaType: 'application/pdf', data: 'JVBERi0=' } as const),
);
const badPart: fc.Arbitrary<Part> = fc.oneof(
  words.map(text),
  fc.constantFrom<Part>(
    image(''),
    image('%'),
    image('aGVsbG8='),
    image(png(), 'image/jpeg'),
    image(png(20_000, 1)),
    { type: 'image', mediaType: 'image/png', blob: 'f00d' },
  ),
);
const parts = fc.array(fc.oneof(goodPart, badPart), { maxLength: 3 });

const block: fc.Arbitrary<Block> = fc.oneof(
  words.map(text),
  fc.boolean().map(thought),
  fc.constant({ type: 'opaque', value: { hosted: 'search' } } as const),
  fc
    .record({ id: ids, name: names, isObject: fc.boolean() })
    // The input keeps the id, whatever is done to it: by this the test knows the call again.
    .map(({ id, name, isObject }) => call(id, { name, input: isObject ? { of: id } : id })),
);

const anyResult: fc.Arbitrary<ToolResultPart> = fc.oneof(
  ids.map((id) => resultFor(id)),
  fc
    .record({ id: ids, content: parts, isError: fc.boolean() })
    .map(({ id, content, isError }) => result(id, { content, isError })),
);

/** The content keeps the id of the call that it answers. */
const resultFor = (id: string) => result(id, { content: [text(`for <${JSON.stringify(id)}>`)] });

const turn: fc.Arbitrary<AssistantMessage> = fc
  .record({
    blocks: fc.array(block, { maxLength: 4 }),
    isRaw: fc.boolean(),
    format: fc.constantFrom('own', 'own', 'foreign'),
  })
  .map(({ blocks, isRaw, format }) => {
    const made = assistant(...blocks);
    return { ...made, format, raw: isRaw ? made.raw : null };
  });

/** Messages in any order, of any content: what no system of ours would write. */
export const anyMessages: fc.Arbitrary<readonly RequestMessage[]> = fc.array(
  fc.oneof<fc.Arbitrary<RequestMessage>[]>(
    parts.map((content) => user(...content)),
    turn,
    fc.array(anyResult, { maxLength: 3 }).map((results) => tool(...results)),
  ),
  { maxLength: 10 },
);

interface Step {
  readonly said: readonly Part[];
  readonly reasons: boolean;
  readonly words: string;
  readonly calls: readonly { readonly failed: boolean; readonly content: readonly Part[] }[];
}

const step: fc.Arbitrary<Step> = fc.record({
  said: fc.array(goodPart, { minLength: 1, maxLength: 2 }),
  reasons: fc.boolean(),
  words: goodWords,
  calls: fc.array(
    fc.record({
      failed: fc.boolean(),
      content: fc.array(goodPart, { minLength: 1, maxLength: 2 }),
    }),
    { maxLength: 3 },
  ),
});

/** A conversation as it should be, ready for the next completion. */
export const validMessages: fc.Arbitrary<readonly RequestMessage[]> = fc
  .record({ steps: fc.array(step, { maxLength: 6 }), last: goodPart })
  .map(({ steps, last }) => [...steps.flatMap(messagesOfStep), user(last)])
  .map(mergeUsers);

function messagesOfStep({ said, reasons, words: said_, calls }: Step, n: number): RequestMessage[] {
  const made = calls.map((one, index) => ({ ...one, id: `${n}-${index}` }));
  const turnOfStep = assistant(
    ...(reasons ? [thought()] : []),
    said_,
    ...made.map(({ id }) => call(id, { input: { of: id } })),
  );
  const results = made.map(({ id, failed, content }) =>
    result(id, failed ? { content: [text('failed')], isError: true } : { content }),
  );
  return [user(...said), turnOfStep, ...(results.length === 0 ? [] : [tool(...results)])];
}

function mergeUsers(messages: readonly RequestMessage[]): readonly RequestMessage[] {
  return messages.filter(
    (message, index) => message.role !== 'user' || messages[index + 1]?.role !== 'user',
  );
}

/** What happens to histories: a crash, a cut, a provider that repeats ids or sends nothing. */
type Damage = (messages: readonly RequestMessage[], at: number) => readonly RequestMessage[];

const swap = (
  messages: readonly RequestMessage[],
  at: number,
  change: (message: RequestMessage) => readonly RequestMessage[],
) => messages.flatMap((message, index) => (index === at ? change(message) : [message]));

const damages: Record<string, Damage> = {
  'cut at the end': (messages, at) => messages.slice(0, at),
  'cut at the beginning': (messages, at) => messages.slice(at),
  'lost message': (messages, at) => swap(messages, at, () => []),
  'lost results': (messages, at) =>
    swap(messages, at, (message) =>
      message.role === 'tool' ? [{ ...message, results: message.results.slice(1) }] : [message],
    ),
  'results in another order': (messages, at) =>
    swap(messages, at, (message) =>
      message.role === 'tool' ? [{ ...message, results: message.results.toReversed() }] : [message],
    ),
  'results in two messages, with words between': (messages, at) =>
    swap(messages, at, (message) =>
      message.role === 'tool'
        ? [tool(...message.results.slice(0, 1)), user('now?'), tool(...message.results.slice(1))]
        : [message],
    ),
  'repeated ids': (messages) => messages.map((message) => withIds(message, () => 'same')),
  'empty ids': (messages) => messages.map((message) => withIds(message, () => '')),
  'empty text': (messages, at) =>
    swap(messages, at, (message) => {
      if (message.role === 'user') return [user('')];
      if (message.role === 'assistant') return [{ ...message, blocks: [text('')] }];
      return [{ ...message, results: message.results.map((one) => ({ ...one, content: [] })) }];
    }),
  'half a pair': (messages, at) =>
    swap(messages, at, (message) => (message.role === 'user' ? [user('cut \ud83d')] : [message])),
  'a failed call with an image': (messages, at) =>
    swap(messages, at, (message) =>
      message.role === 'tool'
        ? [{ ...message, results: message.results.map((one) => ({ ...one, isError: true })) }]
        : [message],
    ),
};

function withIds(message: RequestMessage, change: (id: string) => string): RequestMessage {
  if (message.role === 'tool') {
    const results = message.results.map((one) => ({ ...one, callId: change(one.callId) }));
    return { ...message, results } satisfies ToolMessage;
  }
  if (message.role === 'user') return message;
  const blocks = message.blocks.map((one) =>
    one.type === 'tool_call' ? { ...one, id: change(one.id) } : one,
  );
  return { ...message, blocks };
}

export const damagedMessages: fc.Arbitrary<readonly RequestMessage[]> = fc
  .tuple(
    validMessages,
    fc.array(fc.tuple(fc.constantFrom(...Object.values(damages)), fc.nat({ max: 20 })), {
      minLength: 1,
      maxLength: 4,
    }),
  )
  .map(([messages, list]) => list.reduce((damaged, [damage, at]) => damage(damaged, at), messages));
