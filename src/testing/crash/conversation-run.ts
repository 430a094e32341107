import type { ConversationRecord } from '../../client/index.ts';
import type { ConversationHandle } from '../../client/conversation-handle.ts';
import { messageOf } from '../../core/describe-error.ts';
import { type PersonOptions, Person } from './person.ts';
import { Trace } from './trace.ts';

/** One conversation of a crash test, from its start to its record. */
export class ConversationRun {
  readonly id: string;
  readonly trace: Trace;
  readonly startedAtMs = Date.now();
  readonly #handle: ConversationHandle;
  readonly #person: Person;

  constructor(options: Omit<PersonOptions, 'trace'>) {
    this.trace = new Trace();
    this.#handle = options.handle;
    this.id = options.handle.id;
    this.#person = new Person({ ...options, trace: this.trace });
  }

  get said() {
    return this.#person.said;
  }

  get failures(): readonly string[] {
    return this.#person.failures;
  }

  get unanswered(): number {
    return this.#person.unanswered;
  }

  get seemsWaiting(): boolean {
    const { inFlight, asking, idle } = this.trace;
    return inFlight.size === 0 && (asking.length > 0 || idle);
  }

  get seemsInWorkflowTask(): boolean {
    return this.trace.inFlight.size === 0 && !this.seemsWaiting && this.trace.seen.length > 0;
  }

  get canBeTalkedTo(): boolean {
    return this.trace.asking.length > 0 || (this.#person.hasMore && this.trace.seen.length > 0);
  }

  /** Says the next thing, or decides what waits; without waiting for an answer. */
  talk(): void {
    const talking = this.trace.asking.length > 0 ? this.#person.decide() : this.#person.sayNext();
    // The worker is about to die: what was not answered is said again, or decided again.
    talking.catch(() => {});
  }

  async isAsking(): Promise<boolean> {
    if (this.trace.asking.length === 0) return false;
    return (await this.#handle.approvals().catch(() => [])).length > 0;
  }

  async isIdle(): Promise<boolean> {
    if (!this.trace.idle) return false;
    const status = await this.#handle.status().catch(() => undefined);
    return status?.status === 'waiting_input' && status.queued === 0;
  }

  /**
   * Resolves with how it ended (nothing wrong, or the reason) and with all that is recorded of it;
   * `stuck` when it had not ended as the signal came.
   */
  async finish(
    signal: AbortSignal,
  ): Promise<{ readonly end: string; readonly record: ConversationRecord }> {
    const acting = this.#person.act();
    let end = 'completed';
    try {
      const { stopReason } = await this.#handle.result({ signal });
      if (stopReason !== 'answered' && stopReason !== 'closed') end = stopReason;
    } catch (error) {
      end = signal.aborted ? 'stuck' : messageOf(error);
    }
    this.#person.stop();
    await acting;
    return { end, record: await this.#handle.record() };
  }
}
