import type { Json } from './json.ts';
import type { Usage } from './usage.ts';

/**
 * What watchers of a conversation see while it happens. Events are for eyes: the truth is the
 * history. `turn`, `step` and `attempt` say what an event belongs to; a `reset` voids the text of
 * earlier attempts of the same step.
 */
export type StreamEvent =
  | {
      readonly type: 'reset';
      readonly turn: number;
      readonly step: number;
      readonly attempt: number;
    }
  | { readonly type: 'text'; readonly turn: number; readonly step: number; readonly text: string }
  | {
      readonly type: 'reasoning';
      readonly turn: number;
      readonly step: number;
      readonly text: string;
    }
  | {
      readonly type: 'call';
      readonly turn: number;
      readonly step: number;
      readonly index: number;
      readonly tool: string;
      readonly summary: string;
    }
  | {
      readonly type: 'completion';
      readonly turn: number;
      readonly step: number;
      readonly stopReason: string;
      readonly usage: Usage;
    }
  | {
      readonly type: 'started';
      readonly key: string;
      readonly tool: string;
      readonly attempt: number;
    }
  | {
      readonly type: 'progress';
      readonly key: string;
      readonly activityType: string;
      readonly patch: Json;
    }
  | {
      readonly type: 'result';
      readonly key: string;
      readonly tool: string;
      readonly outcome: string;
      readonly preview: string;
    };
