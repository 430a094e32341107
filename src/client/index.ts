/**
 * `perdure/client`: start agent runs from a service, talk to them, decide about their calls, read
 * and watch them. Loads no worker.
 */
export { PerdureClient, type PerdureClientOptions } from './perdure-client.ts';
export { ConversationHandle } from './conversation-handle.ts';
export type { ConnectOptions } from './connect.ts';
export type { ClientPatience } from './client-context.ts';
export type { StartOptions } from './start-conversation.ts';
export type { SendOptions, SendReceipt } from './send-message.ts';
export type { ApproveOptions, CallTarget, DenyOptions, VerdictReceipt } from './decide.ts';
export type { RevokeOptions, RevokeReceipt } from './revoke.ts';
export type { CompletedConversation } from './await-result.ts';
export type { LaterAnswer } from '../core/settle-later.ts';
export type { DeletedConversation, DeleteOptions } from './delete-conversation.ts';
export type { Garbage, GarbageOptions, OwnerlessBlobs } from './collect-garbage.ts';
export type { ConversationInfo, ConversationLife } from './conversation-info.ts';
export type { ListFilter } from './list-conversations.ts';
export type { ApprovalRequest, RecordedVerdict } from '../core/approval-request.ts';
export type { RefusalCode } from '../core/refusal.ts';
export type { ApprovalFilter, PendingApprovalInfo } from './list-approvals.ts';
export type {
  ConversationRecord,
  RecordedEntry,
} from '../activities/transcript/conversation-record.ts';
export type {
  RecordedAttempt,
  RecordedCall,
  RecordedDecision,
} from '../activities/transcript/recorded-call.ts';
export type { WatchItem, WatchOptions } from './watch/watch-item.ts';
export type { Recorded } from './watch/recorded.ts';
export { textOf } from '../core/content.ts';
export { type BlobReference, isBlobReference, type Stored } from '../core/stored.ts';

export { PerdureRefusal } from './errors/perdure-refusal.ts';
export { ForeignBlobStore } from '../activities/transcript/foreign-blob-store.ts';
export { ConversationClosed } from './errors/conversation-closed.ts';
export { ConversationExists } from './errors/conversation-exists.ts';
export { ConversationFailed, type ConversationEnd } from './errors/conversation-failed.ts';
export { ConversationNotFound } from './errors/conversation-not-found.ts';
export { ConversationRunning } from './errors/conversation-running.ts';
export { ConversationStuck } from './errors/conversation-stuck.ts';
export { NoWorker } from './errors/no-worker.ts';
export { ServerRefused } from './errors/server-refused.ts';
export { UnrelatedBlobStore } from './errors/unrelated-blob-store.ts';
export { ServerUnreachable } from './errors/server-unreachable.ts';
