import { watch, type FSWatcher } from 'node:fs';
import { basename } from 'node:path';

export interface DirectoryWatcher {
  /** Resolves when something may have changed since the last call, and when the signal aborts. */
  change(): Promise<void>;
  close(): void;
}

/** The net under the platform's notifications, and all there is while they cannot be had. */
const POLL_MS = 250;
const POLL_UNWATCHED_MS = 50;

/** Waits for changes of a directory, which need not exist yet and may come and go. */
export function watchDirectory(path: string, signal: AbortSignal): DirectoryWatcher {
  let watcher: FSWatcher | undefined;
  let changed = false;
  let wake = (): void => {};
  const note = (): void => {
    changed = true;
    wake();
  };
  signal.addEventListener('abort', note);

  function stopWatching(): void {
    watcher?.close();
    watcher = undefined;
  }

  function startWatching(): void {
    try {
      watcher = watch(path, (type, name) => {
        // The directory itself was moved or removed: another may take its place.
        if (type === 'rename' && name === basename(path)) stopWatching();
        note();
      });
      watcher.on('error', stopWatching);
      changed = true;
    } catch {
      watcher = undefined;
    }
  }

  async function change(): Promise<void> {
    if (watcher === undefined) startWatching();
    if (!changed && !signal.aborted) {
      const pollMs = watcher === undefined ? POLL_UNWATCHED_MS : POLL_MS;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, pollMs);
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    changed = false;
  }

  return {
    change,
    close: () => {
      signal.removeEventListener('abort', note);
      stopWatching();
    },
  };
}
