import type { Interface } from 'node:readline/promises';
import type { ConversationHandle } from '../client/conversation-handle.ts';
import type { PendingApprovalInfo } from '../client/list-approvals.ts';
import type { WatchItem } from '../client/watch/watch-item.ts';
import type { ApprovalRequest } from '../core/approval-request.ts';
import type { Who } from '../core/who.ts';
import { oneLine } from './report-error.ts';
import { sendAnswer } from './send-answer.ts';
import { promptForVerdict } from './verdict-prompt.ts';

export interface DeskOptions {
  readonly handleOf: (conversationId: string) => ConversationHandle;
  readonly by: Who;
  readonly say: (line: string) => void;
}

/**
 * Asks at the prompt about the calls that wait, one after another. A question is dropped when its
 * call waits no more, or no more with these arguments: somebody else was faster.
 */
export class ApprovalDesk {
  readonly #readline: Interface;
  readonly #options: DeskOptions;
  readonly #asked = new Set<string>();
  #waiting: readonly PendingApprovalInfo[] = [];
  #question: { readonly id: string; readonly abort: AbortController } | undefined;

  constructor(readline: Interface, options: DeskOptions) {
    this.#readline = readline;
    this.#options = options;
  }

  /** What waits now. */
  show(waiting: readonly PendingApprovalInfo[]): void {
    this.#waiting = waiting;
    const open = this.#question;
    if (open !== undefined && !waiting.some(({ request }) => idOf(request) === open.id)) {
      open.abort.abort();
    }
    void this.#askNext();
  }

  /** Drops the open question. */
  close(): void {
    this.#waiting = [];
    this.#question?.abort.abort();
  }

  async #askNext(): Promise<void> {
    if (this.#question !== undefined) return;
    const info = this.#waiting.find(({ request }) => this.#isNew(request));
    if (info === undefined) return;
    const { conversationId, request } = info;
    const { handleOf, by, say } = this.#options;
    const abort = new AbortController();
    const id = idOf(request);
    this.#question = { id, abort };
    this.#asked.add(id);
    try {
      const answer = await promptForVerdict(this.#readline, info, { signal: abort.signal, say });
      const sent = await sendAnswer(handleOf(conversationId), request, answer, { by, say });
      if (sent === 'ask again') this.#asked.delete(id);
    } catch (error) {
      // It is asked again should it come back: a list can miss a conversation that did not answer.
      if (abort.signal.aborted) this.#asked.delete(id);
      say(abort.signal.aborted ? '' : oneLine(error));
    } finally {
      this.#question = undefined;
    }
    await this.#askNext();
  }

  /** Neither asked at this desk before, nor approved by this person elsewhere. */
  #isNew(request: ApprovalRequest): boolean {
    const { by } = this.#options;
    return (
      !this.#asked.has(idOf(request)) &&
      !request.verdicts.some((verdict) => verdict.by.id === by.id)
    );
  }
}

/** What waits in one conversation, as a watcher of it is told. */
export function waitingIn(
  conversationId: string,
  { approvals, status }: WatchItem & { readonly kind: 'waiting' },
): readonly PendingApprovalInfo[] {
  return approvals.map((request) => ({ conversationId, agent: status.agent, request }));
}

/** A question is about a call with these arguments: others make it another question. */
function idOf({ key, digest }: ApprovalRequest): string {
  return `${key} ${digest}`;
}
