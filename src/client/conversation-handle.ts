import type { ApprovalRequest } from '../core/approval-request.ts';
import type { Content } from '../core/content.ts';
import type { Json } from '../core/json.ts';
import { type Stop, stopSchema } from '../core/message.ts';
import { QUERIES, SIGNALS } from '../core/names.ts';
import type { ConversationSummary, StatusAnswer } from '../core/status.ts';
import type { SpecAnswer, StateAnswer } from '../workflows/messages.ts';
import { isBlobReference, type Stored } from '../core/stored.ts';
import { loadValue } from '../blobs/stored-value.ts';
import type {
  ConversationRecord,
  RecordedEntry,
} from '../activities/transcript/conversation-record.ts';
import { readConversation } from '../activities/transcript/read-conversation.ts';
import { awaitResult, type CompletedConversation } from './await-result.ts';
import type { ClientContext } from './client-context.ts';
import { closedOrMissing } from './closed-or-missing.ts';
import { type ConversationInfo, conversationInfo } from './conversation-info.ts';
import {
  type ApproveOptions,
  type CallTarget,
  decide,
  type DenyOptions,
  type VerdictReceipt,
} from './decide.ts';
import {
  type DeletedConversation,
  deleteConversation,
  type DeleteOptions,
} from './delete-conversation.ts';
import { ConversationClosed } from './errors/conversation-closed.ts';
import { ConversationNotFound } from './errors/conversation-not-found.ts';
import { PerdureRefusal } from './errors/perdure-refusal.ts';
import { orKept } from './kept-conversation.ts';
import { conversationApprovals } from './list-approvals.ts';
import { checked } from './problems-of.ts';
import { queryConversation } from './query-conversation.ts';
import { revoke, type RevokeOptions, type RevokeReceipt } from './revoke.ts';
import { sendMessage, type SendOptions, type SendReceipt } from './send-message.ts';
import { typed } from './to-client-error.ts';
import { watchConversation } from './watch/watch-conversation.ts';
import type { WatchItem, WatchOptions } from './watch/watch-item.ts';

/** One conversation, over all its runs. Making a handle asks the server nothing. */
export class ConversationHandle<Output = Json> {
  readonly id: string;
  readonly #context: ClientContext;

  constructor(context: ClientContext, id: string) {
    this.#context = context;
    this.id = id;
  }

  /** Says something. Answers what becomes of it, or that it waits at the server for a worker. */
  send(content: Content, options?: SendOptions): Promise<SendReceipt> {
    return sendMessage(this.#context, this.id, content, options);
  }

  /** Waits until the conversation ends. @throws {ConversationFailed} */
  result(options: { readonly signal?: AbortSignal } = {}): Promise<CompletedConversation<Output>> {
    return awaitResult<Output>(this.#context, this.id, options.signal);
  }

  approve(target: CallTarget, options: ApproveOptions): Promise<VerdictReceipt> {
    return decide(this.#context, this.id, 'approve', { target, ...options });
  }

  deny(target: CallTarget, options: DenyOptions): Promise<VerdictReceipt> {
    return decide(this.#context, this.id, 'deny', { target, ...options });
  }

  /** Takes back a rule that an approval asked to be remembered; `status().rules` lists them. */
  revoke(rule: string, options: RevokeOptions): Promise<RevokeReceipt> {
    return revoke(this.#context, this.id, rule, options);
  }

  /** Interrupts the running turn; what is in flight is settled as cancelled. The conversation goes on. */
  stop(options: Stop = {}): Promise<void> {
    return this.#signal(SIGNALS.stop, options);
  }

  /** The running turn finishes, no other begins, then the conversation completes. */
  close(options: Pick<Stop, 'by'> = {}): Promise<void> {
    return this.#signal(SIGNALS.close, options);
  }

  /** Interrupts the running turn and ends the conversation as cancelled. */
  async cancel(): Promise<void> {
    // The server takes a cancel of a workflow that has ended, and does nothing.
    if ((await this.describe()).life !== 'running') throw new ConversationClosed(this.id);
    const asked = { ...this.#context, conversationId: this.id };
    await typed(asked, () => this.#context.client.workflow.getHandle(this.id).cancel());
  }

  /** Needs a worker, like every query. @throws {NoWorker} */
  status(): Promise<StatusAnswer> {
    return queryConversation(this.#context, this.id, QUERIES.status);
  }

  /** The approvals that wait. */
  approvals(): Promise<readonly ApprovalRequest[]> {
    return conversationApprovals(this.#context, this.id);
  }

  /** The shared state. */
  state(): Promise<StateAnswer> {
    return queryConversation(this.#context, this.id, QUERIES.state);
  }

  summary(): Promise<ConversationSummary> {
    return queryConversation(this.#context, this.id, QUERIES.summary);
  }

  /** What the conversation runs on; null before it is recorded. */
  spec(): Promise<SpecAnswer | null> {
    return queryConversation(this.#context, this.id, QUERIES.spec);
  }

  /**
   * All that is recorded: the transcript, every call with its decisions and attempts. Works for a
   * conversation that has ended, and with no worker up; for one that the server has let go when its
   * transcript was kept (`keepTranscripts`) and this client has the blob store.
   */
  record(): Promise<ConversationRecord> {
    const { client, blobs } = this.#context;
    const read = () =>
      typed({ ...this.#context, conversationId: this.id }, () =>
        readConversation({
          client,
          workflowId: this.id,
          ...(blobs === undefined ? {} : { blobs }),
        }),
      );
    return orKept(this.#context, this.id, read, ({ record }) => record);
  }

  /** The transcript, from the first entry on. Large content is a reference: `load` brings it. */
  async entries(): Promise<readonly RecordedEntry[]> {
    return (await this.record()).entries;
  }

  /**
   * A value that is recorded by reference; any other is returned as it is.
   * @throws {BlobMissing} when the blob store does not have it
   */
  async load<T>(stored: Stored<T>): Promise<T> {
    if (!isBlobReference(stored)) return stored;
    const { blobs } = this.#context;
    if (blobs === undefined) {
      throw new Error(
        `this content is kept in the blob store (${stored.size} bytes): give the client the blob store of the workers`,
      );
    }
    return loadValue<T>(blobs, this.id, stored);
  }

  /**
   * Everything that is recorded, then what happens, as it happens, until the conversation has ended.
   * Needs no worker.
   */
  watch(options?: WatchOptions): AsyncIterable<WatchItem> {
    return watchConversation(this.#context, this.id, options);
  }

  /**
   * Removes the conversation for good: its histories at the server, its blobs and its kept
   * transcript, its live events. Again is harmless, and finishes a removal that was interrupted.
   * The server forgets in the background: it may know the conversation for a minute more.
   * @throws {ConversationRunning} unless with `force`, which ends it at once
   * @throws {ForeignBlobStore} when its blobs are in another store than this client's
   */
  delete(options: DeleteOptions = {}): Promise<DeletedConversation> {
    return deleteConversation(this.#context, this.id, options);
  }

  /** What the server knows of it; needs no worker. */
  async describe(): Promise<ConversationInfo> {
    const asked = { ...this.#context, conversationId: this.id };
    const { raw: _raw, ...description } = await typed(asked, () =>
      this.#context.client.workflow.getHandle(this.id).describe(),
    );
    const info = conversationInfo({ ...description, raw: {} });
    if (info === undefined) {
      throw new ConversationNotFound(this.id, this.#context.namespace);
    }
    return info;
  }

  async #signal(name: string, payload: Stop): Promise<void> {
    const valid = checked(stopSchema, payload);
    if ('problems' in valid) {
      throw new PerdureRefusal({
        code: 'invalid_message',
        message: `"${name}" cannot be sent: ${valid.problems.join('; ')}`,
        problems: valid.problems,
      });
    }
    const asked = { ...this.#context, conversationId: this.id };
    const execution = this.#context.client.workflow.getHandle(this.id);
    try {
      await typed(asked, () => execution.signal(name, valid.value));
    } catch (error) {
      if (!(error instanceof ConversationNotFound)) throw error;
      throw await closedOrMissing(this.#context, this.id, error);
    }
  }
}
