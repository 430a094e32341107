import type { Reached } from './messages.ts';

/** Attempts that stand at the point where the worker is to be killed wait here. */
export interface HoldDesk {
  /** Lets an attempt go on, unless it is one of those that are waited for. */
  take(reached: Reached, go: () => void): void;
  /**
   * Holds what fits from now on. Resolves with what is held when it concerns as many conversations,
   * a while after the first came, or when patience is used up.
   */
  hold(
    fits: (reached: Reached) => boolean,
    options: {
      readonly conversations: number;
      readonly patienceMs: number;
      /** How long others are waited for after the first; default half a second. */
      readonly gatherMs?: number;
    },
  ): Promise<readonly Reached[]>;
  /** Lets everything that is held go on. */
  release(): void;
  /** What was held died with its process. */
  forget(): void;
}

/** After the first has come, others of the same step are on their way. */
const GATHER_MS = 500;

export function openHoldDesk(): HoldDesk {
  let held: { readonly reached: Reached; readonly go: () => void }[] = [];
  let wanted: ((reached: Reached) => boolean) | undefined;
  let onHeld: () => void = () => {};
  return {
    take(reached, go) {
      if (wanted === undefined || !wanted(reached)) {
        go();
        return;
      }
      held.push({ reached, go });
      onHeld();
    },
    hold(fits, { conversations, patienceMs, gatherMs = GATHER_MS }) {
      wanted = fits;
      return new Promise((resolve) => {
        let timer = setTimeout(() => finish(), patienceMs);
        const finish = (): void => {
          clearTimeout(timer);
          onHeld = () => {};
          resolve(held.map(({ reached }) => reached));
        };
        onHeld = () => {
          if (held.length === 1) {
            clearTimeout(timer);
            timer = setTimeout(finish, gatherMs);
          }
          const there = new Set(held.map(({ reached }) => reached.conversation));
          if (there.size >= conversations) finish();
        };
      });
    },
    release() {
      wanted = undefined;
      for (const { go } of held) go();
      held = [];
    },
    forget() {
      wanted = undefined;
      held = [];
    },
  };
}
