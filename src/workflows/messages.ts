import { defineQuery, defineSignal, defineUpdate } from '@temporalio/workflow';
import type { ApprovalRequest } from '../core/approval-request.ts';
import type { Header } from '../core/header.ts';
import type { Json } from '../core/json.ts';
import type { Message, SendAnswer, Stop } from '../core/message.ts';
import { QUERIES, SIGNALS, UPDATES } from '../core/names.ts';
import type { Revocation, RevokeAnswer } from '../core/revoke-rule.ts';
import type { ConversationSummary, Page, StatusAnswer } from '../core/status.ts';
import type { Limits } from '../core/limits.ts';
import type { Effect } from '../core/effect.ts';
import type { DecideAnswer, Verdict } from '../core/verdict.ts';

/** The wire contract of a conversation (format.md §1): what any language may send, and what it answers. */

export const messageSignal = defineSignal<[Message]>(SIGNALS.message);
export const approveSignal = defineSignal<[Omit<Verdict, 'decision'>]>(SIGNALS.approve);
export const denySignal = defineSignal<
  [Omit<Verdict, 'decision' | 'input' | 'remember' | 'digest'>]
>(SIGNALS.deny);
export const stopSignal = defineSignal<[Stop?]>(SIGNALS.stop);
export const closeSignal = defineSignal<[Stop?]>(SIGNALS.close);
export const revokeSignal = defineSignal<[Revocation]>(SIGNALS.revoke);

export const sendUpdate = defineUpdate<SendAnswer, [Message]>(UPDATES.send);
export const decideUpdate = defineUpdate<DecideAnswer, [Verdict]>(UPDATES.decide);
export const revokeUpdate = defineUpdate<RevokeAnswer, [Revocation]>(UPDATES.revoke);

/** Which part of a bounded list: `limit` defaults to 100, at most 500. */
export interface PageRequest {
  readonly from?: number;
  readonly limit?: number;
}

export interface SpecAnswer {
  readonly digest: string;
  readonly agent: string;
  readonly model: string;
  readonly tools: readonly { readonly name: string; readonly effect: Effect }[];
  readonly limits: Limits;
}

export interface StateAnswer {
  readonly state: Json;
  readonly version: number;
}

export const statusQuery = defineQuery<StatusAnswer>(QUERIES.status);
export const approvalsQuery = defineQuery<Page<ApprovalRequest>, [PageRequest?]>(QUERIES.approvals);
export const entriesQuery = defineQuery<Page<Header>, [PageRequest?]>(QUERIES.entries);
export const stateQuery = defineQuery<StateAnswer>(QUERIES.state);
export const summaryQuery = defineQuery<ConversationSummary>(QUERIES.summary);
export const specQuery = defineQuery<SpecAnswer | null>(QUERIES.spec);
