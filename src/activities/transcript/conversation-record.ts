import type { Entry } from '../../core/entry.ts';
import type { Header } from '../../core/header.ts';
import type { Stored } from '../../core/stored.ts';
import type { RecordedCall, RecordedDecision } from './recorded-call.ts';

/** A conversation as history (and the blob store) has it, for people and services. */
export interface ConversationRecord {
  readonly workflowId: string;
  readonly agent: string;
  /** The newest run that was read. */
  readonly run: string;
  /** As Temporal says it: `RUNNING`, `COMPLETED`, `FAILED`, `CANCELLED`, `CONTINUED_AS_NEW`, … */
  readonly status: string;
  /** When it ended, ISO 8601; only of one that the server has let go and the blob store has kept. */
  readonly keptAt?: string;
  /** ISO 8601, of the oldest run that was read. */
  readonly startedAt: string;
  /** The runs whose history was read, oldest first. */
  readonly runs: readonly string[];
  /** Whether the first of them is the conversation's first; if not, older calls are not listed. */
  readonly hasFirstRun: boolean;
  /** Whether the entries begin with the conversation's first. */
  readonly hasFirstEntry: boolean;
  readonly entries: readonly RecordedEntry[];
  readonly calls: readonly RecordedCall[];
  /** Verdicts about no call of these runs. */
  readonly otherDecisions: readonly RecordedDecision[];
}

/** One entry of the transcript; large content is a reference. */
export interface RecordedEntry {
  readonly header: Header;
  readonly entry: Entry;
  readonly digest: string;
  /** When it was recorded, ISO 8601; absent when only a segment has it. */
  readonly at?: string;
  /** The words of an assistant's turn. */
  readonly text?: Stored<string>;
}
