import type { Context } from '@temporalio/activity';

/**
 * Why a running call was told to stop. `cancelled`: a stop or a cancel. `timeout`: its own limit.
 * `shutdown`: the worker ends. `lost`: the server gave the attempt up, nobody waits for its result.
 */
export type Interruption = 'cancelled' | 'timeout' | 'shutdown' | 'lost';

/** What aborts a call's `signal`; named as the platform names it, so that libraries know it. */
export class CallInterrupted extends Error {
  override readonly name = 'AbortError';
  readonly interruption: Interruption;

  constructor(interruption: Interruption) {
    super(WORDS[interruption]);
    this.interruption = interruption;
  }
}

const WORDS: Record<Interruption, string> = {
  cancelled: 'the call was stopped',
  timeout: 'the tool took too long',
  shutdown: 'the worker shuts down',
  lost: 'the server no longer waits for this attempt',
};

export interface Interruptions {
  /** What the tool gets as `ctx.signal`. */
  readonly signal: AbortSignal;
  /** Resolves when the tool is told to stop. */
  readonly told: Promise<void>;
  /** Why, once it was told. */
  reason(): Interruption | undefined;
  /** Starts the tool's own limit. */
  limit(timeoutMs: number): void;
  end(): void;
}

/** Timers of Node fire at once when asked to wait longer. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * Gathers everything that interrupts a call into one signal. A worker's shutdown does not reach
 * calls that it waits for; an operator's pause or reset of the activity concerns the next attempt.
 */
export function watchInterruptions(
  context: Context,
  options: {
    readonly waitsForShutdown: boolean;
    /** The worker's own word, which may come before Temporal's. */
    readonly shutdown?: AbortSignal;
  },
): Interruptions {
  const controller = new AbortController();
  let reason: Interruption | undefined;
  let timer: NodeJS.Timeout | undefined;
  const { promise: told, resolve } = withResolver();

  const interrupt = (interruption: Interruption): void => {
    if (interruption === 'shutdown' && options.waitsForShutdown) return;
    // A person's stop counts for more than a shutdown that came first: nothing is to run again.
    if (reason === undefined || (reason === 'shutdown' && interruption === 'cancelled')) {
      reason = interruption;
    }
    if (controller.signal.aborted) return;
    controller.abort(new CallInterrupted(interruption));
    resolve();
  };
  const onTemporal = (): void => {
    const interruption = interruptionOf(context);
    if (interruption !== undefined) interrupt(interruption);
  };
  const onShutdown = (): void => interrupt('shutdown');

  const stopListening = [
    listen(context.cancellationSignal, onTemporal),
    ...(options.shutdown === undefined ? [] : [listen(options.shutdown, onShutdown)]),
  ];
  return {
    signal: controller.signal,
    told,
    reason: () => reason,
    limit(timeoutMs) {
      timer = setTimeout(() => interrupt('timeout'), Math.min(timeoutMs, MAX_TIMER_MS));
    },
    end() {
      clearTimeout(timer);
      for (const stop of stopListening) stop();
    },
  };
}

function interruptionOf(context: Context): Interruption | undefined {
  const details = context.cancellationDetails;
  if (details === undefined || details.cancelRequested) return 'cancelled';
  if (details.timedOut || details.notFound) return 'lost';
  if (details.workerShutdown) return 'shutdown';
  return details.paused || details.reset ? undefined : 'cancelled';
}

function listen(signal: AbortSignal, listener: () => void): () => void {
  if (signal.aborted) listener();
  signal.addEventListener('abort', listener);
  return () => signal.removeEventListener('abort', listener);
}

function withResolver(): { promise: Promise<void>; resolve: () => void } {
  let resolve: () => void = () => undefined;
  const promise = new Promise<void>((fulfil) => {
    resolve = fulfil;
  });
  return { promise, resolve };
}
