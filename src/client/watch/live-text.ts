import type { StreamEvent } from '../../core/event.ts';
import { isBlobReference } from '../../core/stored.ts';
import type { Recorded } from './recorded.ts';
import { NOTHING_TOLD, type Told, toldBy, toldOf } from './told.ts';

/** How much of the step that is being written was given live, since its last reset. */
export interface Written extends Told {
  /** `<turn>.<step>` */
  readonly step: string;
}

/**
 * What live events have told, against what is recorded: neither is given twice. A step's live
 * events end with its recorded completion, a call's with its recorded result.
 */
export class LiveText {
  #written: Written | undefined;
  readonly #recordedSteps = new Set<string>();
  readonly #recordedCalls = new Set<string>();

  constructor(written: Written | undefined) {
    this.#written = written;
  }

  get written(): Written | undefined {
    return this.#written;
  }

  /** Whether the event is news. Notes what it tells. */
  takeLive(event: StreamEvent): boolean {
    switch (event.type) {
      case 'started':
      case 'progress':
      case 'result':
        return !this.#recordedCalls.has(event.key);
      case 'reset':
      case 'text':
      case 'reasoning':
      case 'call':
      case 'completion': {
        const step = stepOf(event);
        if (this.#recordedSteps.has(step)) return false;
        const before = this.#written?.step === step ? this.#written : NOTHING_TOLD;
        if (event.type === 'reset') this.#written = { step, ...NOTHING_TOLD };
        if (event.type === 'text') this.#written = { step, ...toldBy(before, event.text) };
        return true;
      }
    }
  }

  /** Notes what is recorded; a completion says how much of its text was told live. */
  takeRecorded(recorded: Recorded): Recorded {
    if (recorded.type === 'result') this.#recordedCalls.add(recorded.entry.key);
    if (recorded.type !== 'completion') return recorded;
    const step = stepOf(recorded);
    this.#recordedSteps.add(step);
    const written = this.#written;
    if (written?.step !== step) return recorded;
    this.#written = undefined;
    const { text } = recorded;
    if (text === undefined) return recorded;
    const told = toldOf(isBlobReference(text) ? text.preview : text, written);
    return told === 0 ? recorded : { ...recorded, told };
  }
}

function stepOf({ turn, step }: { readonly turn: number; readonly step: number }): string {
  return `${turn}.${step}`;
}
