import type { ConversationHandle, WatchItem } from '../../src/client/index.ts';
import { isBlobReference } from '../../src/core/stored.ts';
import type { SeededRandom } from '../../src/testing/crash/seeded-random.ts';
import { FAULT_TEXTS } from './faulty-service.ts';

export interface Watched {
  /** What was said at each step, as somebody reads it who follows resets. */
  readonly said: readonly string[];
  readonly connections: number;
  /** Live pieces that were seen. */
  readonly pieces: number;
  readonly problems: readonly string[];
}

/** Watches a conversation to its end, leaves at random, and goes on where it left. */
export async function watchRestlessly(
  conversation: ConversationHandle,
  random: SeededRandom,
): Promise<Watched> {
  const reader = new Reader();
  let from: string | undefined;
  for (let connections = 1; ; connections += 1) {
    let left = random.between(1, 12);
    for await (const item of conversation.watch({ from })) {
      from = item.cursor;
      reader.read(item);
      left -= 1;
      if (left === 0) break;
    }
    if (reader.hasEnded) {
      const { said, pieces, problems } = reader;
      return { said, pieces, problems, connections };
    }
  }
}

class Reader {
  readonly said: string[] = [];
  readonly problems: string[] = [];
  pieces = 0;
  hasEnded = false;
  /** Of the step that is being written, since its last reset. */
  #live = '';
  #liveStep = '';

  read(item: WatchItem): void {
    if (item.kind === 'live') this.#readLive(item.event);
    if (item.kind !== 'recorded') return;
    const { recorded } = item;
    if (recorded.type === 'ended') this.hasEnded = true;
    if (recorded.type !== 'completion') return;
    const { text = '', told = 0, step } = recorded;
    const whole = isBlobReference(text) ? text.preview : text;
    const isOfThis = this.#liveStep === String(step);
    // White space does not count: a recorded preview has less of it.
    const live = this.#live.trimEnd();
    if (told > 0 && (!isOfThis || live !== whole.slice(0, told).trimEnd())) {
      this.problems.push(
        `step ${step}: ${told} characters were told, and "${live}" was seen of "${whole}"`,
      );
    }
    if (isOfThis && told < live.length && !isOfFault(live)) {
      this.problems.push(`step ${step}: "${live}" was seen, and the record repeats it`);
    }
    this.said.push(whole);
    this.#live = '';
  }

  #readLive(event: Extract<WatchItem, { kind: 'live' }>['event']): void {
    if (event.type !== 'reset' && event.type !== 'text') return;
    if (event.type === 'reset' || String(event.step) !== this.#liveStep) this.#live = '';
    this.#liveStep = String(event.step);
    if (event.type === 'reset') return;
    this.pieces += 1;
    this.#live += event.text;
  }
}

function isOfFault(text: string): boolean {
  return FAULT_TEXTS.some((whole) => whole.startsWith(text));
}
