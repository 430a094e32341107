import type { IdleLimits } from '../idle-timer.ts';
import type { Model } from '../model.ts';
import { costOf, type Price } from '../prices.ts';
import { smallestRequest } from '../smallest-request.ts';
import { askFunction, askModel } from './ask.ts';
import { completeTurn, type CompleteTurnSettings } from './complete-turn.ts';
import type { TextComplete } from './prompt.ts';
import { TEXT_FORMAT, viewRawTurn } from './raw-turn.ts';

export interface TextProtocolOptions extends IdleLimits {
  /** Default: the wrapped model's, else `text`. */
  readonly id?: string;
  /** Default: the wrapped model's, else `text`. */
  readonly provider?: string;
  /** Replies in a row that may be broken before the turn ends as `unparseable`. Default 3. */
  readonly maxBrokenReplies?: number;
  /** Goes into the marks; give one where others can guess conversation ids. */
  readonly secret?: string;
  /** Default: the wrapped model's, else none. */
  readonly price?: Price;
}

const DEFAULT_BROKEN_REPLIES = 3;

/** A function may compute for long before its first piece. */
const FUNCTION_IDLE_MS = 600_000;

/**
 * Makes a model that uses tools of anything that turns text into text: a function, or a model whose
 * server knows no tools. Tools are described in the instructions, calls are read from the reply.
 */
export function textProtocol(
  complete: TextComplete | Model,
  options: TextProtocolOptions = {},
): Model {
  const wrapped = typeof complete === 'function' ? undefined : complete;
  const id = options.id ?? wrapped?.id ?? 'text';
  const idle = { idleTimeoutMs: FUNCTION_IDLE_MS, ...options };
  const settings: CompleteTurnSettings = {
    ask: typeof complete === 'function' ? askFunction(id, complete, idle) : askModel(complete),
    secret: options.secret ?? '',
    maxBroken: options.maxBrokenReplies ?? DEFAULT_BROKEN_REPLIES,
  };
  const { price } = options;
  const cost =
    price === undefined
      ? wrapped?.cost
      : (usage: Parameters<typeof costOf>[0]) => costOf(usage, price);
  const takesParts = wrapped !== undefined;
  return {
    id,
    provider: options.provider ?? wrapped?.provider ?? 'text',
    format: TEXT_FORMAT,
    capabilities: {
      tools: true,
      images: takesParts && wrapped.capabilities?.images !== false,
      documents: takesParts && wrapped.capabilities?.documents !== false,
      hostedTools: false,
    },
    view: viewRawTurn,
    complete: (request, completeOptions) => completeTurn(request, { ...completeOptions, settings }),
    ...(cost === undefined ? {} : { cost }),
    async check({ signal }) {
      if (wrapped?.check !== undefined) return wrapped.check({ signal });
      const question = {
        prompt: { system: '', messages: [{ role: 'user', text: 'Hi' } as const] },
        request: smallestRequest(),
        stop: [],
        onText: () => undefined,
      };
      await settings.ask(question, { signal, onEvent: () => undefined });
    },
  };
}
