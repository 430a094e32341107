import type { Client } from '@temporalio/client';
import type { BlobStore } from '../blobs/blob-store.ts';
import type { EventSink } from '../streams/event-sink.ts';

/** What every call of a client needs: where to ask, where content lies, how long to wait. */
export interface ClientContext {
  readonly client: Client;
  readonly namespace: string;
  /** For messages. */
  readonly address: string;
  readonly taskQueue: string;
  /** The blob store of the workers. Without it large content stays a reference with a preview. */
  readonly blobs?: BlobStore;
  /** The event sink of the workers. Without it watchers see recorded entries only. */
  readonly events?: EventSink;
  readonly patience: ClientPatience;
}

/** Milliseconds. */
export interface ClientPatience {
  /** How long an update waits for a worker to take it before it is sent as a signal. */
  readonly acceptMs: number;
  /** How long an accepted update may take to be answered. */
  readonly answerMs: number;
  /** How long a query waits for a worker. */
  readonly queryMs: number;
  /** How long `handing_over` is retried. */
  readonly handOverMs: number;
}

export const DEFAULT_PATIENCE: ClientPatience = {
  acceptMs: 4_000,
  answerMs: 30_000,
  queryMs: 10_000,
  handOverMs: 15_000,
};
