import type { PlannedCall } from '../../core/call.ts';
import type { Entry, ResultEntry } from '../../core/entry.ts';
import type { Json } from '../../core/json.ts';
import type { Refusal } from '../../core/refusal.ts';
import type { ConversationResult } from '../../core/status.ts';
import type { Stored } from '../../core/stored.ts';
import type { Usage } from '../../core/usage.ts';
import type { ConversationEnd } from '../errors/conversation-failed.ts';

/** One thing that history says of a conversation, in the order in which it was recorded. */
export type Recorded =
  /** The conversation began, or `continued` in a new run with an empty history. */
  | {
      readonly type: 'started';
      readonly agent: string;
      readonly continued: boolean;
      /** The start's argument; absent when continued. */
      readonly start?: Json;
    }
  /** A message, note, summary, or a result that no activity made (a denial): what the transcript gained. */
  | { readonly type: 'entry'; readonly n: number; readonly entry: Entry }
  /** The model answered. `text` is what it said, `plan` the calls that it asked for. */
  | {
      readonly type: 'completion';
      readonly activityId: string;
      readonly turn: number;
      readonly step: number;
      readonly model: string;
      readonly text?: Stored<string>;
      readonly stopReason: string;
      readonly usage: Usage;
      readonly cost?: number;
      readonly plan: readonly PlannedCall[];
      /** Milliseconds. */
      readonly ms: number;
      /**
       * How many first characters of `text` (of its preview, when it is a reference) a watch has
       * given as live events already: `text.slice(told)` is what is new. Absent: live text of this
       * step, if there was any, is void.
       */
      readonly told?: number;
    }
  /** A call was settled by its tool (or by `reconcile`). */
  | {
      readonly type: 'result';
      readonly activityId: string;
      readonly entry: ResultEntry;
      readonly attempt: number;
      readonly worker?: string;
      readonly ms: number;
    }
  /** An attempt failed, was lost or cancelled; another may follow. */
  | {
      readonly type: 'attempt_failed';
      readonly activityId: string;
      readonly activityType: string;
      /** Of a call. */
      readonly key?: string;
      readonly attempt: number;
      readonly failure: { readonly type: string; readonly message: string };
      readonly ms: number;
    }
  /** A message, verdict, stop or close arrived; `refusal` says why an update was not taken. */
  | {
      readonly type: 'received';
      readonly name: string;
      readonly via: 'signal' | 'update';
      readonly payload: Json;
      readonly refusal?: Refusal;
    }
  /** A workflow task failed: the conversation makes no progress until it succeeds. */
  | { readonly type: 'task_failed'; readonly message: string }
  | {
      readonly type: 'ended';
      readonly end: 'completed' | ConversationEnd;
      readonly result?: ConversationResult;
      readonly failure?: { readonly type: string; readonly message: string };
    };

/** Where in history something is recorded. */
export interface RecordedPlace {
  readonly run: string;
  readonly eventId: number;
  /** Which of the event's items, from 0. */
  readonly part: number;
  /** ISO 8601. */
  readonly at: string;
}
