import type { StreamEvent } from '../../core/event.ts';
import { isBlobReference } from '../../core/stored.ts';
import type { Recorded } from './recorded.ts';

/** How much of the step that is being written was given live. */
export interface Written {
  /** `<turn>.<step>` */
  readonly step: string;
  /** UTF-16 code units since the last reset. */
  readonly characters: number;
}

type Completion = Extract<Recorded, { type: 'completion' }>;

/**
 * What live events have told, against what is recorded: neither is given twice. A step's live
 * events end with its recorded completion, a call's with its recorded result.
 */
export class LiveText {
  #written: Written | undefined;
  #finished: string | undefined;
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
        const before = this.#written?.step === step ? this.#written.characters : 0;
        if (event.type === 'reset') this.#written = { step, characters: 0 };
        if (event.type === 'text') {
          this.#written = { step, characters: before + event.text.length };
        }
        if (event.type === 'completion') this.#finished = step;
        return true;
      }
    }
  }

  /** Whether live events of this step have begun to come and their end has not. */
  isHalfTold(recorded: Recorded): boolean {
    if (recorded.type !== 'completion') return false;
    const step = stepOf(recorded);
    return this.#written?.step === step && this.#finished !== step;
  }

  /** Notes what is recorded; a completion that was told live in full is marked so. */
  takeRecorded(recorded: Recorded): Recorded {
    if (recorded.type === 'result') this.#recordedCalls.add(recorded.entry.key);
    if (recorded.type !== 'completion') return recorded;
    const step = stepOf(recorded);
    this.#recordedSteps.add(step);
    if (this.#written?.step !== step) return recorded;
    const isTold = isWhole(this.#written.characters, recorded);
    this.#written = undefined;
    return isTold ? { ...recorded, streamed: true } : recorded;
  }
}

/** Of long text, and of text beside calls, a completion holds the beginning only. */
function isWhole(characters: number, { text, plan }: Completion): boolean {
  if (text === undefined) return characters === 0;
  if (isBlobReference(text)) return characters >= text.preview.length;
  return plan.length > 0 ? characters >= text.length : characters === text.length;
}

function stepOf({ turn, step }: { readonly turn: number; readonly step: number }): string {
  return `${turn}.${step}`;
}
