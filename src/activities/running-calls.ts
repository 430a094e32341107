import { setMaxListeners } from 'node:events';
import type { Effect } from '../core/effect.ts';
import type { LedgerEntry } from './ledger/attempt-ledger.ts';
import { watchLoop } from './watch-loop.ts';

export interface RunningCall {
  readonly tool: string;
  readonly key: string;
  /** Unknown until the call's spec was read. */
  readonly effect?: Effect;
}

/** One call's place among those that this worker process is running. */
export interface RunningCallHandle {
  /** Aborts when the worker begins to shut down. */
  readonly shutdown: AbortSignal;
  /** Set as soon as the spec says it. */
  setEffect(effect: Effect): void;
  /** The call's own code held the event loop for so long, measured around it. */
  heldLoop(ms: number): void;
  /** In words, if the event loop stood still while the call ran: for how long, by which tool. */
  blockedLoop(): string | undefined;
  end(): void;
}

/** Where this process keeps the attempt: among its running calls, and in its ledger. */
export interface AttemptPlace {
  readonly handle: RunningCallHandle;
  readonly ledgerEntry: LedgerEntry;
}

/** The tool calls that this worker process is running: for its shutdown, its log and its heartbeats. */
export interface RunningCalls {
  begin(call: { readonly tool: string; readonly key: string }): RunningCallHandle;
  readonly calls: readonly RunningCall[];
  /** Tells every call that may run again elsewhere to stop; `once` calls go on. */
  shutDown(): void;
  /** Resolves when no `once` call is running, nor one of which the effect is not known yet. */
  onceCallsDone(): Promise<void>;
}

/**
 * @param options.blockedLoopMs an event loop that stands still for longer is reported; default 1 s
 * @param options.onBlocked gets the report, for the log
 */
export function createRunningCalls(
  options: { readonly blockedLoopMs?: number; readonly onBlocked?: (words: string) => void } = {},
): RunningCalls {
  const running = new Set<{ call: RunningCall; longest?: { ms: number; words: string } }>();
  const waiting = new Set<() => void>();
  const shutdown = new AbortController();
  // Every running call listens: many are no leak.
  setMaxListeners(0, shutdown.signal);

  const isOnce = ({ call }: { call: RunningCall }): boolean =>
    call.effect === undefined || call.effect === 'once';
  const tellWaiting = (): void => {
    if ([...running].some(isOnce)) return;
    for (const resolve of waiting) resolve();
    waiting.clear();
  };

  const loop = watchLoop({
    blockedMs: options.blockedLoopMs ?? 1_000,
    onBlocked(ms, holders) {
      const tools = holders.length > 0 ? holders : [...running].map(({ call }) => call.tool);
      const words = blockedWords(ms, [...new Set(tools)]);
      options.onBlocked?.(words);
      for (const entry of running) {
        if (entry.longest === undefined || entry.longest.ms < ms) entry.longest = { ms, words };
      }
    },
  });

  return {
    begin({ tool, key }) {
      const entry: { call: RunningCall; longest?: { ms: number; words: string } } = {
        call: { tool, key },
      };
      running.add(entry);
      if (running.size === 1) loop.start();
      return {
        shutdown: shutdown.signal,
        setEffect(effect) {
          entry.call = { tool, key, effect };
          tellWaiting();
        },
        heldLoop: (ms) => loop.held(tool, ms),
        blockedLoop() {
          // The report of a block that ends with the call's own return comes a tick too late.
          loop.check();
          return entry.longest?.words;
        },
        end() {
          running.delete(entry);
          if (running.size === 0) loop.stop();
          tellWaiting();
        },
      };
    },
    get calls() {
      return [...running].map(({ call }) => call);
    },
    shutDown: () => shutdown.abort(),
    onceCallsDone() {
      return new Promise((resolve) => {
        waiting.add(resolve);
        tellWaiting();
      });
    },
  };
}

function blockedWords(ms: number, tools: readonly string[]): string {
  const who =
    tools.length === 1
      ? `by the tool "${tools[0]}"`
      : `by one of the tools ${tools.map((tool) => `"${tool}"`).join(', ')}`;
  return `The worker's event loop stood still for ${(ms / 1000).toFixed(1)} s, ${who}.`;
}
