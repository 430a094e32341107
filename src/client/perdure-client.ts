import type { Client } from '@temporalio/client';
import type { BlobStore } from '../blobs/blob-store.ts';
import type { Json } from '../core/json.ts';
import { DEFAULT_TASK_QUEUE } from '../core/names.ts';
import type { EventSink } from '../streams/event-sink.ts';
import { type ClientContext, type ClientPatience, DEFAULT_PATIENCE } from './client-context.ts';
import type { LaterAnswer } from '../core/settle-later.ts';
import { completeLater } from './complete-later.ts';
import { collectGarbage, type Garbage, type GarbageOptions } from './collect-garbage.ts';
import { connect, type ConnectOptions } from './connect.ts';
import type { ConversationInfo } from './conversation-info.ts';
import { ConversationHandle } from './conversation-handle.ts';
import { type ApprovalFilter, listApprovals, type PendingApprovalInfo } from './list-approvals.ts';
import { listConversations, type ListFilter } from './list-conversations.ts';
import { startConversation, type StartOptions } from './start-conversation.ts';

interface Surroundings {
  /** Where the workers of the agents listen; default `perdure`. */
  readonly taskQueue?: string | undefined;
  /** The blob store of the workers, to read and send what is too large for a message. */
  readonly blobs?: BlobStore | undefined;
  /** The event sink of the workers, to watch text as it is written. */
  readonly events?: EventSink | undefined;
  readonly patience?: Partial<ClientPatience> | undefined;
}

export interface PerdureClientOptions extends Surroundings {
  readonly client: Client;
}

/** Starts agent runs, talks to them, decides about their calls. Loads no worker. */
export class PerdureClient {
  readonly approvals: {
    /** Every approval that waits, over all conversations. */
    list(filter?: ApprovalFilter): AsyncIterable<PendingApprovalInfo>;
  };
  readonly #context: ClientContext;
  #closeConnection: (() => Promise<void>) | undefined;

  constructor(options: PerdureClientOptions) {
    const { client, taskQueue, blobs, events, patience } = options;
    const given = definedOnly(patience ?? {});
    this.#context = {
      client,
      namespace: client.options.namespace,
      address: addressOf(client),
      taskQueue: taskQueue ?? DEFAULT_TASK_QUEUE,
      ...(blobs === undefined ? {} : { blobs }),
      ...(events === undefined ? {} : { events }),
      patience: { ...DEFAULT_PATIENCE, ...given },
    };
    this.approvals = { list: (filter) => listApprovals(this.#context, filter) };
  }

  /**
   * Connects by the Temporal profile and environment (`TEMPORAL_ADDRESS`, …), which the options override.
   * @throws {ServerUnreachable} {@link ServerRefused}
   */
  static async connect(options: ConnectOptions & Surroundings = {}): Promise<PerdureClient> {
    const { client, close } = await connect(options);
    const perdure = new PerdureClient({ ...options, client });
    perdure.#closeConnection = close;
    return perdure;
  }

  /** The Temporal client, for what this one does not do. */
  get temporal(): Client {
    return this.#context.client;
  }

  get address(): string {
    return this.#context.address;
  }

  get namespace(): string {
    return this.#context.namespace;
  }

  get taskQueue(): string {
    return this.#context.taskQueue;
  }

  /**
   * Starts a conversation with an agent, by its name or its definition. With an `id` it is
   * idempotent: a retried start returns the conversation that runs.
   * @throws {PerdureRefusal} {@link ConversationExists}
   */
  async start<Output = Json>(
    agent: string | { readonly name: string },
    options: StartOptions,
  ): Promise<ConversationHandle<Output>> {
    const name = typeof agent === 'string' ? agent : agent.name;
    return this.handle<Output>(await startConversation(this.#context, name, options));
  }

  /** The handle of a conversation that was started before, here or elsewhere. */
  handle<Output = Json>(id: string): ConversationHandle<Output> {
    return new ConversationHandle<Output>(this.#context, id);
  }

  /** Conversations, the newest first. */
  list(filter?: ListFilter): AsyncIterable<ConversationInfo> {
    return listConversations(this.#context, filter);
  }

  /**
   * Completes a call whose tool handed out its token (`completion: 'later'`), from any service.
   * @throws {PerdureRefusal} `not_pending`
   */
  completeLater(token: string, answer: LaterAnswer): Promise<void> {
    return completeLater(this.#context, token, answer);
  }

  /**
   * Finds the blobs of conversations that the server does not know (any more) and whose transcript
   * was not kept; with `apply`, removes them. Needs the blob store of the workers.
   * @throws {UnrelatedBlobStore} when the server knows no conversation of the store, unless `force`
   */
  collectGarbage(options: GarbageOptions = {}): Promise<Garbage> {
    return collectGarbage(this.#context, options);
  }

  /** Closes the connection that `connect` made; one that was given stays open. */
  async close(): Promise<void> {
    await this.#closeConnection?.();
    this.#closeConnection = undefined;
  }
}

function addressOf({ connection }: Client): string {
  const options: unknown = 'options' in connection ? connection.options : undefined;
  return typeof options === 'object' &&
    options !== null &&
    'address' in options &&
    typeof options.address === 'string'
    ? options.address
    : 'the address of its client';
}

function definedOnly(patience: Partial<ClientPatience>): Partial<ClientPatience> {
  return Object.fromEntries(Object.entries(patience).filter(([, value]) => value !== undefined));
}
