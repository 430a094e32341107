/** Aborts a stream that went silent. The SDKs' own timeouts stop counting once headers have arrived. */
export interface IdleTimer {
  /** Aborts with the caller's signal, and when the stream stalls. */
  readonly signal: AbortSignal;
  /** Set once the stream stalled: how long it was silent, in words. */
  readonly stalled: string | undefined;
  /** Bytes arrived, be it only a keep-alive. */
  bytes(): void;
  /** Something of the answer arrived. */
  progress(): void;
  /** The answer is whole: what still comes is waited for a moment only, so that the connection can be reused. */
  drain(): void;
  stop(): void;
}

export interface IdleLimits {
  /** Milliseconds without a byte; default 120,000. */
  readonly idleTimeoutMs?: number;
  /** Milliseconds with nothing but keep-alives; default 600,000, or `idleTimeoutMs` where that is more. */
  readonly keepAliveTimeoutMs?: number;
}

const DEFAULT_IDLE_MS = 120_000;
const DEFAULT_KEEP_ALIVE_MS = 600_000;
const DRAIN_MS = 500;

export function startIdleTimer(caller: AbortSignal, limits: IdleLimits): IdleTimer {
  const idleMs = limits.idleTimeoutMs ?? DEFAULT_IDLE_MS;
  const keepAliveMs = Math.max(idleMs, limits.keepAliveTimeoutMs ?? DEFAULT_KEEP_ALIVE_MS);
  const controller = new AbortController();
  let stalled: string | undefined;
  let drain: NodeJS.Timeout | undefined;
  const stall = (words: string): void => {
    stalled ??= words;
    controller.abort();
  };
  const idle = setTimeout(() => stall(`no byte for ${idleMs} ms`), idleMs);
  const keepAlive = setTimeout(
    () => stall(`nothing but keep-alives for ${keepAliveMs} ms`),
    keepAliveMs,
  );
  return {
    signal: AbortSignal.any([caller, controller.signal]),
    get stalled() {
      return stalled;
    },
    bytes() {
      if (stalled === undefined) idle.refresh();
      drain?.refresh();
    },
    progress() {
      if (stalled === undefined) keepAlive.refresh();
    },
    drain() {
      drain ??= setTimeout(() => controller.abort(), DRAIN_MS);
    },
    stop() {
      clearTimeout(drain);
      clearTimeout(idle);
      clearTimeout(keepAlive);
    },
  };
}
