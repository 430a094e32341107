import type { ApprovalRequest } from '../../core/approval-request.ts';
import type { StreamEvent } from '../../core/event.ts';
import type { StatusAnswer } from '../../core/status.ts';
import type { Recorded } from './recorded.ts';

/**
 * One thing that a watcher sees. `cursor` resumes after it: `watch({ from: item.cursor })`.
 *
 * - `recorded`: what history holds. The truth, each once, in order.
 * - `live`: what happens right now (needs an event sink): text as it is written, calls as they
 *   start. What it tells is recorded a moment later; the recorded completion says how much of its
 *   text was `told` live. A live `reset` voids the live text of that step.
 * - `waiting`: the conversation rests: it waits for a message, a verdict, the model. Needs a worker.
 */
export type WatchItem = {
  readonly cursor: string;
  /** ISO 8601. */
  readonly at: string;
} & (
  | { readonly kind: 'recorded'; readonly recorded: Recorded }
  | { readonly kind: 'live'; readonly event: StreamEvent }
  | {
      readonly kind: 'waiting';
      readonly status: StatusAnswer;
      readonly approvals: readonly ApprovalRequest[];
    }
);

export interface WatchOptions {
  /** The cursor of the last item that was seen; or `now`: nothing that is recorded already. */
  readonly from?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}
