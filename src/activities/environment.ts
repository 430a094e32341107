import type { BlobStore } from '../blobs/blob-store.ts';
import type { EventSink } from '../streams/event-sink.ts';
import type { Agent } from '../tools/agent.ts';
import type { AttemptLedger } from './ledger/attempt-ledger.ts';
import type { TranscriptReader } from './transcript/transcript-reader.ts';

/** What a worker process gives its activities: code by name, stores, and the times that it allows. */
export interface ActivityEnvironment {
  /** By name. `Agent<never>` is any agent: which dependencies its tools need was checked where it was registered. */
  readonly agents: ReadonlyMap<string, Agent<never>>;
  readonly deps: unknown;
  readonly blobs: BlobStore;
  readonly events: EventSink;
  readonly ledger: AttemptLedger;
  readonly transcripts: TranscriptReader;
  /** How long an agent or tool that is not known here may be known elsewhere. */
  readonly deployPatienceMs: number;
  /** Content above this many bytes goes to the blob store before it is recorded. */
  readonly inlineLimitBytes: number;
  readonly heartbeatTimeoutMs: number;
  /** How long a handler that was told to stop is waited for before its call is settled without it. */
  readonly cancelGraceMs: number;
  /** Whether the namespace has our search attributes. */
  readonly searchAttributes: boolean;
  /** Task queue per model id, where one is configured for its rate. */
  readonly modelTaskQueues: { readonly [model: string]: string };
  /** Whether transcripts are kept past the server's retention. */
  readonly keepTranscripts: boolean;
  readonly handOver: { readonly bytes: number; readonly events: number };
  /** Identity of this worker, for the audit. */
  readonly identity: string;
  /** Wraps what an attempt does, within its place in the ledger: the fault kit holds attempts here. */
  readonly around?: <Output>(attempt: () => Promise<Output>) => Promise<Output>;
}
