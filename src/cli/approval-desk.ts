import type { Interface } from 'node:readline/promises';
import type { ConversationHandle } from '../client/conversation-handle.ts';
import type { ApprovalRequest } from '../core/approval-request.ts';
import type { Who } from '../core/who.ts';
import { oneLine } from './report-error.ts';
import { sendAnswer } from './send-answer.ts';
import { promptForVerdict } from './verdict-prompt.ts';

/**
 * Asks at the prompt about the calls that wait in one conversation, one after another. A question
 * is dropped when its call waits no more: somebody else has decided.
 */
export class ApprovalDesk {
  readonly #readline: Interface;
  readonly #conversation: ConversationHandle;
  readonly #agent: string;
  readonly #by: Who;
  readonly #say: (line: string) => void;
  readonly #asked = new Set<string>();
  #waiting: readonly ApprovalRequest[] = [];
  #question: { readonly key: string; readonly abort: AbortController } | undefined;

  constructor(
    readline: Interface,
    conversation: ConversationHandle,
    options: {
      readonly agent: string;
      readonly by: Who;
      readonly say: (line: string) => void;
    },
  ) {
    this.#readline = readline;
    this.#conversation = conversation;
    this.#agent = options.agent;
    this.#by = options.by;
    this.#say = options.say;
  }

  /** What waits now. */
  show(waiting: readonly ApprovalRequest[]): void {
    this.#waiting = waiting;
    const open = this.#question;
    if (open !== undefined && !waiting.some(({ key }) => key === open.key)) open.abort.abort();
    void this.#askNext();
  }

  /** Drops the open question. */
  close(): void {
    this.#waiting = [];
    this.#question?.abort.abort();
  }

  async #askNext(): Promise<void> {
    if (this.#question !== undefined) return;
    const request = this.#waiting.find(({ key }) => !this.#asked.has(key));
    if (request === undefined) return;
    const abort = new AbortController();
    this.#question = { key: request.key, abort };
    this.#asked.add(request.key);
    try {
      const info = { conversationId: this.#conversation.id, agent: this.#agent, request };
      const say = this.#say;
      const answer = await promptForVerdict(this.#readline, info, { signal: abort.signal, say });
      await sendAnswer(this.#conversation, request, answer, { by: this.#by, say });
    } catch (error) {
      this.#say(abort.signal.aborted ? '' : oneLine(error));
    } finally {
      this.#question = undefined;
    }
    await this.#askNext();
  }
}
