import { isJsonObject, type Json, type JsonObject } from '../../src/core/json.ts';
import { anthropicWire as wire } from '../../src/models/contract/anthropic-wire.ts';
import {
  type ModelServer,
  type RecordedRequest,
  startModelServer,
  type WireReply,
} from '../../src/models/contract/model-server.ts';
import { seededRandom } from '../../src/testing/crash/seeded-random.ts';

const FAULT_TEXT = 'Half of a sentence that nobody ends';
/** What broken answers say before they break. */
export const FAULT_TEXTS = [FAULT_TEXT, 'Half of a sen'];
const soon = { 'retry-after-ms': '30' };
const half = { text: FAULT_TEXT.split(/(?<= )/) };

/** What breaks, and whether the usage at the start of the answer reaches who asked. */
const FAULTS = {
  'rate limit (429)': { reply: () => wire.error('rate_limited', soon), usage: 'never' },
  'overload (529)': { reply: () => wire.error('overloaded', soon), usage: 'never' },
  'server error (500)': { reply: () => wire.error('server_error', soon), usage: 'never' },
  reset: { reply: (): WireReply => ({ chunks: [], end: 'reset' }), usage: 'never' },
  // What was sent before may be thrown away with the connection.
  'reset in the stream': { reply: () => ({ ...wire.cut(half), end: 'reset' }), usage: 'maybe' },
  'error in the stream': { reply: () => wire.errorInStream('overloaded'), usage: 'always' },
  cut: { reply: () => wire.cut(half), usage: 'always' },
  stall: { reply: () => ({ ...wire.cut(half), end: 'hang' }), usage: 'always' },
} as const satisfies {
  readonly [fault: string]: {
    readonly reply: () => WireReply;
    readonly usage: 'never' | 'maybe' | 'always';
  };
};
export type Fault = keyof typeof FAULTS;
export const FAULT_NAMES = Object.keys(FAULTS) as readonly Fault[];

export interface FaultyService {
  readonly server: ModelServer;
  readonly faults: ReadonlyMap<Fault, number>;
  /** Faulty answers by whether their usage reached who asked. */
  readonly usage: { readonly [reached in 'never' | 'maybe' | 'always']: number };
  readonly answered: number;
  /** Requests that the API would refuse, or that change what was sent before. */
  readonly problems: readonly string[];
}

/** What the model says at a step, and how it ends. */
export function saidAt(conversation: string, step: number): string {
  return `${conversation} is at step ${step}, and goes on.`;
}

/**
 * A model that calls `add` for a number of steps and then says the sum. A share of its answers
 * breaks, in a way that the seed, the conversation and the attempt decide.
 */
export async function startFaultyService(plan: {
  readonly steps: number;
  readonly share: number;
  readonly seed: number;
}): Promise<FaultyService> {
  const faults = new Map<Fault, number>();
  const usage = { never: 0, maybe: 0, always: 0 };
  const attempts = new Map<string, number>();
  const before = new Map<string, readonly string[]>();
  const problems: string[] = [];
  let answered = 0;
  const server = await startModelServer((request) => {
    const messages = messagesOf(request);
    const conversation = /conversation-\d+/.exec(JSON.stringify(messages[0]))?.[0] ?? 'unknown';
    problems.push(...problemsOf(messages), ...changesOf(before.get(conversation) ?? [], messages));
    before.set(
      conversation,
      messages.map((message) => JSON.stringify(message)),
    );
    const step = messages.filter((message) => message['role'] === 'assistant').length;
    const place = `${conversation}/${step}`;
    const attempt = (attempts.get(place) ?? 0) + 1;
    attempts.set(place, attempt);
    const { next, between } = seededRandom(plan.seed ^ hashOf(`${place}/${attempt}`));
    if (next() < plan.share) {
      const fault = FAULT_NAMES[between(0, FAULT_NAMES.length - 1)] as Fault;
      faults.set(fault, (faults.get(fault) ?? 0) + 1);
      usage[FAULTS[fault].usage] += 1;
      return FAULTS[fault].reply();
    }
    answered += 1;
    if (step >= plan.steps) return wire.answer({ text: `The sum is ${sumOf(messages)}.` });
    return wire.answer({
      text: saidAt(conversation, step).split(/(?<= )/),
      calls: [{ id: `toolu_${step}`, name: 'add', input: { n: step } }],
    });
  });
  return {
    server,
    faults,
    usage,
    problems,
    get answered() {
      return answered;
    },
  };
}

function messagesOf({ body }: RecordedRequest): readonly JsonObject[] {
  return wire.read(body).messages.filter(isJsonObject);
}

function blocksOf(message: JsonObject | undefined, type: string): readonly JsonObject[] {
  const content: Json = message?.['content'] ?? [];
  return Array.isArray(content)
    ? content.filter(isJsonObject).filter((block) => block['type'] === type)
    : [];
}

/** What the API would refuse. */
function problemsOf(messages: readonly JsonObject[]): string[] {
  const found = messages.flatMap((message, index) => {
    if (message['role'] === 'user') return [];
    const calls = blocksOf(message, 'tool_use').map((call) => call['id']);
    const results = blocksOf(messages[index + 1], 'tool_result').map((r) => r['tool_use_id']);
    return JSON.stringify(calls) === JSON.stringify(results)
      ? []
      : [`calls ${JSON.stringify(calls)} got results ${JSON.stringify(results)}`];
  });
  const roles = messages.map(({ role }) => (role === 'user' ? 'u' : 'a')).join('');
  return /^u(au)*$/.test(roles) ? found : [...found, `order of roles: ${roles}`];
}

function changesOf(before: readonly string[], messages: readonly JsonObject[]): string[] {
  return before.flatMap((message, n) =>
    message === JSON.stringify(messages[n]) ? [] : [`message ${n} was ${message} before`],
  );
}

function sumOf(messages: readonly JsonObject[]): number {
  return messages
    .flatMap((message) => blocksOf(message, 'tool_result'))
    .map((result) => Number(/"text":"(\d+)"/.exec(JSON.stringify(result))?.[1]))
    .reduce((sum, n) => sum + n, 0);
}

function hashOf(text: string): number {
  let hash = 2_166_136_261;
  for (const character of text) {
    hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 16_777_619);
  }
  return hash >>> 0;
}
