import type { Json } from '../../core/json.ts';
import { refusalIn } from '../refusal-in.ts';
import type { Recorded } from './recorded.ts';

/** Brings updates and their answers together, which are events of their own. */
export class ReceivedUpdates {
  readonly #open = new Map<string, { readonly name: string; readonly payload: Json }>();

  accepted(eventId: string, name: string, payload: Json): void {
    this.#open.set(eventId, { name, payload });
  }

  completed(
    acceptedEventId: string,
    answer: unknown,
    failureDetails: unknown,
  ): readonly Recorded[] {
    const update = this.#open.get(acceptedEventId);
    if (update === undefined) return [];
    this.#open.delete(acceptedEventId);
    const refusal = refusalIn(failureDetails);
    return [
      {
        type: 'received',
        via: 'update',
        ...update,
        ...(answer === undefined ? {} : { answer: answer as Json }),
        ...(refusal === undefined ? {} : { refusal }),
      },
    ];
  }
}
