import type { Entry } from './entry.ts';
import type { Category } from './outcome.ts';

export type RecordedAt =
  | { readonly run: string; readonly activityId: string }
  | { readonly run: string; readonly inputOf: string; readonly item: number }
  | { readonly segment: string; readonly n: number };

/** What the workflow keeps of an entry: where it is recorded, never its content. */
export interface Header {
  readonly n: number;
  readonly kind: Entry['kind'];
  readonly turn: number;
  readonly step: number;
  readonly at?: RecordedAt;
  /** Bytes. */
  readonly size: number;
  readonly tokens?: number;
  /** At most 200 characters. */
  readonly preview: string;
  readonly outcome?: Category;
  readonly key?: string;
  readonly tool?: string;
}
