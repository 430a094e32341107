import { setTimeout as pause } from 'node:timers/promises';
import type { ConversationHandle } from '../../client/conversation-handle.ts';
import { ConversationClosed } from '../../client/errors/conversation-closed.ts';
import { PerdureRefusal } from '../../client/errors/perdure-refusal.ts';
import type { ApprovalRequest } from '../../core/approval-request.ts';
import type { Content } from '../../core/content.ts';
import { describeError } from '../../core/describe-error.ts';
import type { SeededRandom } from './seeded-random.ts';
import type { Trace } from './trace.ts';

/** What a person answers to a request. */
export type Answer = 'approve' | 'deny';

export interface PersonOptions {
  readonly handle: ConversationHandle;
  readonly trace: Trace;
  readonly mode: 'task' | 'chat';
  readonly messages: readonly Content[];
  readonly answer: (request: ApprovalRequest) => Answer;
  readonly random: SeededRandom;
  /** Resolves when people may act; a kill at a moment of waiting keeps them back. */
  readonly mayAct: () => Promise<void>;
  /** Told before anything is said or decided. */
  readonly onAct: () => void;
}

const WHO = { id: 'crash-test' };
const LOOK_AGAIN_MS = 250;

/** Says what is to be said in one conversation, and decides about its calls. */
export class Person {
  /** Ids of what was said, and whether the conversation has taken it. */
  readonly said: { readonly id: string; taken: boolean }[] = [];
  /** What could not be said or decided, and why. */
  readonly failures: string[] = [];
  readonly #options: PersonOptions;
  #ended = false;
  #unanswered = 0;

  constructor(options: PersonOptions) {
    this.#options = options;
  }

  /** Messages and verdicts that have been sent and are not answered. */
  get unanswered(): number {
    return this.#unanswered;
  }

  get hasMore(): boolean {
    return this.said.length < this.#options.messages.length;
  }

  /** Resolves when the conversation has ended. */
  async act(): Promise<void> {
    await Promise.all([this.#decideAll(), this.#sayAll()]);
  }

  stop(): void {
    this.#ended = true;
  }

  /** Says the next thing at once. */
  async sayNext(): Promise<void> {
    const { handle, messages, mode } = this.#options;
    const content = messages[this.said.length];
    if (content === undefined) return;
    const message = { id: `said-${this.said.length + 1}`, taken: false };
    this.said.push(message);
    await this.#sending(async () => {
      const when = mode === 'task' ? 'steer' : 'queue';
      await handle.send(content, { id: message.id, when, by: WHO });
      message.taken = true;
    });
  }

  /** Decides about everything that waits now. */
  async decide(): Promise<void> {
    const { handle, answer } = this.#options;
    const requests = await handle.approvals();
    for (const request of requests) {
      const { key, digest } = request;
      await this.#sending(async () => {
        if (answer(request) === 'approve') await handle.approve(key, { by: WHO, digest });
        else await handle.deny(key, { by: WHO, reason: 'not in this test' });
      });
    }
  }

  async #decideAll(): Promise<void> {
    const { trace, mayAct, random } = this.#options;
    while (!this.#ended) {
      if (trace.asking.length > 0) {
        await pause(random.between(20, 300));
        await mayAct();
        // Without a worker nobody can be asked: the next look finds out.
        await this.decide().catch(() => {});
      }
      await pause(LOOK_AGAIN_MS);
    }
  }

  async #sayAll(): Promise<void> {
    const { mode, random } = this.#options;
    while (!this.#ended && (this.hasMore || mode === 'chat')) {
      await pause(random.between(100, 1_500));
      if (mode === 'chat' && !(await this.#isIdle())) continue;
      await this.#options.mayAct();
      if (this.#ended) return;
      if (this.hasMore) await this.sayNext();
      // What comes behind the close is refused, rightly.
      else if (mode === 'chat' && this.#unanswered === 0)
        await this.#options.handle.close().catch(() => {});
    }
  }

  async #isIdle(): Promise<boolean> {
    if (!this.#options.trace.idle) return false;
    try {
      const { status, queued } = await this.#options.handle.status();
      return status === 'waiting_input' && queued === 0;
    } catch {
      return false;
    }
  }

  async #sending(send: () => Promise<void>): Promise<void> {
    this.#options.onAct();
    this.#unanswered += 1;
    try {
      await send();
    } catch (error) {
      // Decided meanwhile, or the conversation has ended: nothing is owed to this sender.
      if (error instanceof PerdureRefusal || error instanceof ConversationClosed) return;
      this.failures.push(describeError(error));
    } finally {
      this.#unanswered -= 1;
    }
  }
}
