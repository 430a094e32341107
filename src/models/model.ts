import type { ModelFailureType } from '../core/failure.ts';
import type { StopReasonOfModel } from '../core/activity-shapes.ts';
import type { Json } from '../core/json.ts';
import type { Block, ModelRequest } from '../core/model-request.ts';
import type { Usage } from '../core/usage.ts';

/**
 * One way to a language model. An adapter is stateless between completions, retries nothing, and
 * throws nothing but `ModelFailure`.
 */
export interface Model {
  /** The model's id as its provider names it. */
  readonly id: string;
  /** Who serves it: `anthropic`, `openai`, `scripted`, … Becomes part of traces and messages. */
  readonly provider: string;
  /** The form of `raw` turns that this adapter reads and writes. */
  readonly format: string;
  /** What the model takes; absent means yes. A request is adapted, or refused before it is sent. */
  readonly capabilities?: {
    readonly tools?: boolean;
    readonly images?: boolean;
    readonly documents?: boolean;
    /** Tools that the provider runs itself. */
    readonly hostedTools?: boolean;
  };

  /**
   * One completion. Always streams: each piece of text goes to `onEvent` as it arrives. Ends with
   * the whole turn, or throws a `ModelFailure`; after the signal aborted, one of type `cancelled`.
   * A stream that is silent for too long, is cut, or carries an error inside a 200 is a failure.
   */
  complete(request: ModelRequest, options: CompleteOptions): Promise<Completion>;

  /** The neutral view of a raw turn that an adapter of the same format made. Pure; never throws. */
  view(raw: Json): readonly Block[];

  /** Tokens of a request as the provider counts them, where it offers that. */
  countTokens?(request: ModelRequest, options: { readonly signal: AbortSignal }): Promise<number>;

  /** US dollars; undefined when there is no price for the model. */
  cost?(usage: Usage): number | undefined;

  /** One cheap request that shows whether the key is accepted. Throws a `ModelFailure`. For `doctor`. */
  check?(options: { readonly signal: AbortSignal }): Promise<void>;
}

export interface CompleteOptions {
  readonly signal: AbortSignal;
  readonly onEvent: (event: CompletionEvent) => void;
}

export type CompletionEvent =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'reasoning'; readonly text: string }
  /** Bytes arrived: the stream lives. */
  | { readonly type: 'alive' };

export interface Completion {
  /** The provider's turn: recorded, and sent back byte for byte. */
  readonly raw: Json;
  readonly format: string;
  readonly blocks: readonly Block[];
  readonly stopReason: StopReasonOfModel;
  /** The provider's own word. */
  readonly providerStopReason?: string;
  readonly usage: Usage;
  readonly requestId?: string;
  /** The model that answered, as the provider says. */
  readonly model: string;
}

/** A failed completion, classified once, where it enters. */
export class ModelFailure extends Error {
  override readonly name = 'ModelFailure';
  readonly type: ModelFailureType;
  /** Milliseconds that the provider asked to wait; not capped. */
  readonly retryAfterMs?: number;
  readonly requestId?: string;
  /** What the failed attempt is known to have used. */
  readonly usage?: Usage;

  constructor(
    type: ModelFailureType,
    message: string,
    details: {
      readonly retryAfterMs?: number | undefined;
      readonly requestId?: string | undefined;
      readonly usage?: Usage | undefined;
      readonly cause?: unknown;
    } = {},
  ) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.type = type;
    if (details.retryAfterMs !== undefined) this.retryAfterMs = details.retryAfterMs;
    if (details.requestId !== undefined) this.requestId = details.requestId;
    if (details.usage !== undefined) this.usage = details.usage;
  }
}
