import type { Content } from './content.ts';
import type { EffectState } from './effect.ts';
import type { Json } from './json.ts';
import type { Category } from './outcome.ts';
import type { BlobReference, Stored } from './stored.ts';
import type { Who } from './who.ts';

interface Placed {
  readonly turn: number;
  readonly step: number;
}

export interface UserEntry extends Placed {
  readonly kind: 'user';
  readonly id: string;
  readonly content: Stored<Content>;
  readonly by?: Who;
  /** ISO 8601. */
  readonly at: string;
}

/** An assistant turn, kept as the provider's raw form and sent back unchanged. */
export interface AssistantEntry extends Placed {
  readonly kind: 'assistant';
  /** Which adapter understands `raw`: `anthropic`, `openai`, `text`, … */
  readonly format: string;
  readonly model: string;
  readonly raw: Stored<Json>;
}

/** The one result of a call. */
export interface ResultEntry extends Placed {
  readonly kind: 'result';
  readonly index: number;
  readonly key: string;
  readonly callId: string;
  readonly tool: string;
  readonly outcome: Category;
  readonly effect: EffectState;
  /** What the tool returned, or the text form of the error. */
  readonly content: Stored<Content>;
  /** What the model is shown, where that is not `content`: cut, or marked as edited. */
  readonly shownAs?: Stored<Content>;
  /** The bytes as they were, where hygiene or the cut changed them. */
  readonly original?: BlobReference;
}

/** Something that happened to the conversation. The model sees it only when `shown`. */
export interface NoteEntry extends Placed {
  readonly kind: 'note';
  readonly code: string;
  readonly text: string;
  readonly shown: boolean;
  readonly details?: Json;
  readonly at: string;
}

/** Code of the notes about what was repaired in a request. */
export const REPAIR_NOTE = 'request_repaired';

/** Stands for the entries before `upTo` in what the model is shown. They stay readable. */
export interface SummaryEntry extends Placed {
  readonly kind: 'summary';
  readonly content: Stored<Content>;
  /** Number of entries that it replaces, counted from the conversation's first. */
  readonly upTo: number;
}

/** One item of the transcript. */
export type Entry = UserEntry | AssistantEntry | ResultEntry | NoteEntry | SummaryEntry;

/** The transcript up to and including the last model turn. `run` is the run that recorded that turn. */
export interface Position {
  readonly run: string;
  readonly count: number;
  readonly digest: string | null;
}

/**
 * What came since the position, in transcript order: an entry that no activity made, or the
 * activity of this run (of `segment`, after a hand-over) whose result is the entry.
 */
export type Item =
  | { readonly entry: Entry }
  | { readonly activityId: string; readonly digest: string; readonly segment?: string };

/** What of the transcript is sent: results before `cutBefore` as previews, a summary in place of the rest. */
export interface View {
  /** Results of entries with a smaller number are shown as their previews. */
  readonly cutBefore: number;
  /**
   * Number of entries when the view was made. Assistant turns from before it lose their signed
   * reasoning, which providers refuse once what came before it is shown otherwise.
   */
  readonly since?: number;
  /** Stands for all entries before `upTo` (numbers count from the conversation's first entry). */
  readonly summary?: {
    readonly content: Stored<Content>;
    readonly upTo: number;
    /** What users said before `upTo` in a turn that ran when the view was made: shown word for word. */
    readonly said?: { readonly turn: number; readonly text: string };
  };
}
