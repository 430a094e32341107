import type { Usage } from '../core/usage.ts';
import type { IdleTimer } from './idle-timer.ts';
import { ModelFailure } from './model.ts';

/**
 * The failure of a stream: what the classifier found, unless it was stopped or stalled. After an
 * abort the SDKs say many things, or nothing.
 */
export function streamFailure(
  found: ModelFailure,
  context: {
    readonly timer: IdleTimer;
    readonly signal: AbortSignal;
    readonly requestId: string | undefined;
    /** Undefined when the service had not said anything yet: then nobody knows what was used. */
    readonly usage: Usage | undefined;
  },
): ModelFailure {
  const { timer, signal, usage } = context;
  const details = { usage, requestId: found.requestId ?? context.requestId, cause: found.cause };
  if (signal.aborted) return new ModelFailure('cancelled', 'the completion was cancelled', details);
  if (timer.stalled !== undefined) {
    return new ModelFailure('stalled', `the stream stalled: ${timer.stalled}`, details);
  }
  return new ModelFailure(found.type, found.message, {
    ...details,
    retryAfterMs: found.retryAfterMs,
  });
}

/** Reads a stream to its end. Once the turn is whole, nothing that still comes can spoil it. */
export async function readEvents<Event>(
  stream: AsyncIterable<unknown>,
  turn: {
    readonly timer: IdleTimer;
    readonly apply: (event: Event) => void;
    readonly isWhole: () => boolean;
  },
): Promise<void> {
  try {
    for await (const event of stream) {
      turn.timer.progress();
      turn.apply(event as Event);
      if (turn.isWhole()) turn.timer.drain();
    }
  } catch (error) {
    if (!turn.isWhole()) throw error;
  }
}

/** After an abort, and at a cut, the SDKs' streams end as if all were well. */
export function requireWhole(
  isWhole: boolean,
  context: { readonly timer: IdleTimer; readonly signal: AbortSignal; readonly missing: string },
): void {
  if (isWhole) return;
  if (context.timer.stalled !== undefined || context.signal.aborted) {
    throw new ModelFailure('cancelled', 'the stream was aborted');
  }
  throw new ModelFailure('connection', `the stream was cut: it ended without ${context.missing}`);
}
