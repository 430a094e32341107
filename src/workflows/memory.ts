import { previewOf } from '../core/stored.ts';
import { utf8Bytes } from '../core/slices.ts';
import type { ConversationState } from '../core/conversation-state.ts';
import type { DenyingMessage } from '../core/deny-by-message.ts';
import type { Entry, Item } from '../core/entry.ts';
import { entryTokens } from '../core/entry-tokens.ts';
import type { Header } from '../core/header.ts';
import type { Json } from '../core/json.ts';
import type { Stop } from '../core/message.ts';
import type { Refusal } from '../core/refusal.ts';
import type { SegmentReference } from '../core/segment.ts';
import type { Status } from '../core/status.ts';
import type { DecideAnswer, Verdict } from '../core/verdict.ts';

/** Refusals and other notes that may wait for the next completion; more are only counted. */
const MAX_WAITING_NOTES = 50;
const MAX_NOTE_CHARACTERS = 1_000;
const MIN_EVENTS = 30;

/** A verdict with new arguments: it holds its place until the main loop has validated them. */
export interface WaitingEdit {
  readonly verdict: Verdict;
  readonly from: 'signal' | 'update';
  readonly key: string;
  fate?: { readonly answer: DecideAnswer } | { readonly refusal: Refusal };
}

/**
 * What one run of a conversation has in mind. `state` is plain JSON and is what a hand-over carries;
 * the rest belongs to this run.
 */
export class Memory {
  state: ConversationState;
  status: Status = 'starting';
  waitingUntilMs: number | undefined;
  waitingFor: string | undefined;
  /** Entries of this run, in transcript order; the last `state.items.length` are not in any input yet. */
  headers: Header[] = [];
  /** Set by `stop`, until the turn has ended. */
  stop: Stop | undefined;
  /** Messages that waited when a turn was stopped that had not begun: later ones begin another. */
  stoppedMessages: number | undefined;
  /** Verdicts whose new arguments are to be validated, and those that came behind them, in order. */
  edits: WaitingEdit[] = [];
  /** Keys of requests that have expired but for the edits that came in time. */
  readonly overdue = new Set<string>();
  /** Messages that deny a request unless an edit that came before them decides it, by its key. */
  readonly denials = new Map<string, DenyingMessage>();
  handingOver = false;
  /** Of this run's history, as the server counts it. */
  historyBytes: () => number = () => 0;
  /** Events that this run has at least: a smaller budget would hand over without end. */
  noHandOverBefore = MIN_EVENTS;
  /** History length at which the newest update was answered. */
  answeredAt = -1;
  /** Calls that run while others of their batch are asked for: there is no hand-over before they are done. */
  earlyCalls = 0;

  private waitingNotes = 0;
  private uncountedNotes = 0;
  private readonly run: string;
  private readonly onChange: (memory: Memory) => void;

  constructor(state: ConversationState, run: string, onChange: (memory: Memory) => void) {
    const { stop, stoppedMessages, ...rest } = state;
    this.state = rest;
    this.stop = stop;
    const isBeforeTurn = stop !== undefined && state.running === undefined;
    this.stoppedMessages = isBeforeTurn
      ? (stoppedMessages ?? state.inbox.queued.length)
      : undefined;
    this.run = run;
    this.onChange = onChange;
    // What came too late for the last run's segment is this run's to place.
    this.headers = state.items.flatMap((item, index) =>
      'entry' in item ? [{ n: state.position.count + index, ...headerOf(item.entry) }] : [],
    );
  }

  update(change: Partial<ConversationState>): void {
    this.state = { ...this.state, ...change };
  }

  /** Sets what the conversation is doing; people see it in the UI. */
  show(status: Status, waiting: { readonly untilMs?: number; readonly for?: string } = {}): void {
    this.status = status;
    this.waitingUntilMs = waiting.untilMs;
    this.waitingFor = waiting.for;
    this.onChange(this);
  }

  /** Shows people again what the conversation is doing: a part of it has changed. */
  refresh(): void {
    this.onChange(this);
  }

  /** Adds an entry that no activity made. */
  addEntry(entry: Entry): void {
    this.add({ entry }, headerOf(entry));
  }

  add(item: Item, header: Omit<Header, 'n' | 'at'>): void {
    const n = this.state.position.count + this.state.items.length;
    const at = 'activityId' in item ? { run: this.run, activityId: item.activityId } : undefined;
    this.headers.push({ n, ...header, ...(at === undefined ? {} : { at }) });
    this.update({
      items: [...this.state.items, item],
      waitingTokens: this.state.waitingTokens + (header.tokens ?? 0),
    });
  }

  /**
   * The first `sent` waiting items have entered a completion, whose turn follows them. What came
   * while it ran waits for the next one.
   */
  advance(
    sent: number,
    position: { readonly count: number; readonly digest: string },
    recordedBy: string,
    assistant: Omit<Header, 'n' | 'at' | 'kind'>,
  ): void {
    const first = this.headers.length - this.state.items.length;
    const entered = this.headers.slice(first, first + sent).map((header, item) => ({
      ...header,
      at: header.at ?? { run: this.run, inputOf: recordedBy, item },
    }));
    const turn: Header = {
      n: position.count - 1,
      kind: 'assistant',
      ...assistant,
      at: { run: this.run, activityId: recordedBy },
    };
    const waiting = this.headers.slice(first + sent);
    this.headers = [
      ...this.headers.slice(0, first),
      ...entered,
      turn,
      ...waiting.map((header, index) => ({ ...header, n: position.count + index })),
    ];
    this.waitingNotes = 0;
    this.update({
      items: this.state.items.slice(sent),
      waitingTokens: waiting.reduce((sum, { tokens = 0 }) => sum + tokens, 0),
      position: { run: this.run, ...position },
    });
  }

  /** The first `sent` waiting items are in a segment now, which ends the transcript so far. */
  keepIn(segment: SegmentReference, sent: number): void {
    const first = this.headers.length - this.state.items.length;
    this.headers = this.headers.map((header, index) =>
      index < first || index >= first + sent || header.at !== undefined
        ? header
        : { ...header, at: { segment: segment.blob, n: header.n } },
    );
    const { count, digest } = segment;
    this.waitingNotes = 0;
    this.update({
      segment,
      position: { run: this.run, count, digest },
      items: this.state.items.slice(sent),
    });
  }

  /** Writes into the audit. The model does not see it unless `shown`. */
  note(
    code: string,
    text: string,
    at: string,
    more: { readonly shown?: boolean; readonly details?: Json } = {},
  ): void {
    if (this.waitingNotes >= MAX_WAITING_NOTES) {
      this.uncountedNotes += 1;
      return;
    }
    this.waitingNotes += 1;
    const uncounted =
      this.uncountedNotes === 0 ? '' : ` (${this.uncountedNotes} more notes were not kept)`;
    this.uncountedNotes = 0;
    this.addEntry({
      kind: 'note',
      turn: this.state.turn,
      step: this.state.step,
      code,
      text: text.slice(0, MAX_NOTE_CHARACTERS) + uncounted,
      shown: more.shown ?? false,
      ...(more.details === undefined ? {} : { details: more.details }),
      at,
    });
  }
}

function headerOf(entry: Entry): Omit<Header, 'n' | 'at'> {
  return {
    kind: entry.kind,
    turn: entry.turn,
    step: entry.step,
    size: utf8Bytes(JSON.stringify(entry)),
    tokens: entryTokens(entry),
    preview: previewOfEntry(entry),
    ...(entry.kind === 'result'
      ? { outcome: entry.outcome, key: entry.key, tool: entry.tool }
      : {}),
  };
}

function previewOfEntry(entry: Entry): string {
  switch (entry.kind) {
    case 'note':
      return previewOf(entry.text);
    case 'assistant':
      return '';
    case 'user':
    case 'result':
    case 'summary': {
      const { content } = entry;
      if (typeof content === 'string') return previewOf(content);
      if ('blob' in content) return content.preview;
      return previewOf(
        content.map((part) => (part.type === 'text' ? part.text : `[${part.type}]`)).join(' '),
      );
    }
  }
}
