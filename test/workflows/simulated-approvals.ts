import { CancelledFailure } from '@temporalio/workflow';
import type { ValidateOutput } from '../../src/core/activity-shapes.ts';
import type { ApprovalSettings } from '../../src/core/approval-settings.ts';
import { carriedApprovals } from '../../src/core/carried-approvals.ts';
import { openKeys } from '../../src/core/carried-state.ts';
import type { ConversationState } from '../../src/core/conversation-state.ts';
import { isJsonObject, type Json } from '../../src/core/json.ts';
import type { Refusal } from '../../src/core/refusal.ts';
import { settleBy } from '../../src/core/settle-call.ts';
import type { DecideAnswer, Verdict } from '../../src/core/verdict.ts';
import { gate, type GateEffects } from '../../src/workflows/gate.ts';
import { Memory, type WaitingEdit } from '../../src/workflows/memory.ts';
import { receiveMessage } from '../../src/workflows/receive-message.ts';
import { HANDING_OVER, receiveVerdict } from '../../src/workflows/receive-verdict.ts';
import { runBatch } from '../../src/workflows/run-batch.ts';
import { refuseEdits } from '../../src/workflows/validate-edits.ts';
import { buildCall, buildMemory } from '../support/build-memory.ts';

/** One call that ran: with which arguments. */
export interface Ran {
  readonly key: string;
  readonly digest: string;
}

/** What became of one verdict that was sent. */
export interface SentVerdict {
  readonly key: string;
  readonly decision: 'approve' | 'deny';
  readonly by: string;
  fate?: { readonly answer: DecideAnswer } | { readonly refusal: Refusal };
}

interface Wait {
  readonly holds: () => boolean;
  readonly untilMs: number | undefined;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/**
 * A batch of calls that ask, with the real batch, gate and handlers, in a world whose clock,
 * validations, tools and cancels are moved by hand.
 */
export class SimulatedApprovals {
  memory: Memory;
  nowMs = 0;
  readonly ran: Ran[] = [];
  readonly sent: SentVerdict[] = [];
  /** How many calls had begun when the turn was stopped. */
  ranBeforeStop: number | undefined;
  ended: 'done' | 'expired' | undefined;
  runs = 1;
  readonly #plan;
  readonly #waits = new Set<Wait>();
  readonly #validations: {
    readonly input: Json;
    readonly finish: (output: ValidateOutput) => void;
    readonly fail: (error: Error) => void;
  }[] = [];
  readonly #calls: (() => void)[] = [];
  readonly #waiting: { readonly sent: SentVerdict; readonly edit: WaitingEdit }[] = [];
  #handOverDue = false;
  #duringHandOver = () => {};
  #firstOfNextRun = () => {};

  constructor(calls: readonly Partial<ApprovalSettings>[], runAsDecided: boolean) {
    this.memory = buildMemory({ runAsDecided });
    this.memory.update({ by: { id: 'starter' } });
    this.#plan = calls.map((approval, index) =>
      buildCall(index, {
        verdict: 'ask',
        inputDigest: 'd0',
        approval: { ...this.memory.state.spec.settings.approval, ...approval },
      }),
    );
    this.#begin({ plan: this.#plan, settled: [] });
  }

  get keys(): readonly string[] {
    return this.#plan.map(({ key }) => key);
  }

  decide(verdict: Verdict, from: 'signal' | 'update'): void {
    const { by, decision, key = '' } = verdict;
    const sent: SentVerdict = { key, decision, by: by.id };
    this.sent.push(sent);
    const received = receiveVerdict(this.memory, verdict, from, this.#at());
    if ('waiting' in received) this.#waiting.push({ sent, edit: received.waiting });
    else sent.fate = received;
  }

  say(id: string): void {
    receiveMessage(this.memory, { content: 'and?', id }, this.#at());
  }

  /** `stop` says so before it cancels; a cancel of the conversation does not. */
  end(how: 'stop' | 'cancel'): void {
    if (this.ended !== undefined) return;
    if (how === 'stop') {
      this.memory.stop = { reason: 'enough', by: { id: 'boss' } };
      this.ranBeforeStop ??= this.ran.length;
    }
    for (const wait of this.#waits) {
      this.#waits.delete(wait);
      wait.reject(new CancelledFailure('cancelled'));
    }
    for (const { fail } of this.#validations.splice(0)) fail(new CancelledFailure('cancelled'));
  }

  finishValidation(): void {
    const next = this.#validations.shift();
    if (next === undefined) return;
    const digest = isJsonObject(next.input) ? next.input['digest'] : undefined;
    next.finish(
      typeof digest === 'string'
        ? { input: next.input, digest, summary: '' }
        : { problems: ['it does not fit'] },
    );
  }

  finishCall(): void {
    this.#calls.shift()?.();
  }

  /**
   * @param arrives.during what comes once the run has said that it ends
   * @param arrives.first what comes to the next run before anything else
   */
  handOver(arrives: { readonly during?: () => void; readonly first?: () => void } = {}): void {
    this.#handOverDue = true;
    this.#duringHandOver = arrives.during ?? (() => {});
    this.#firstOfNextRun = arrives.first ?? (() => {});
  }

  pass(ms: number): void {
    this.nowMs += ms;
  }

  /** Lets the workflow do all that it can do now, as a workflow task does. */
  async settle(): Promise<void> {
    for (let round = 0; round < 8; round++) {
      await new Promise((resolve) => setImmediate(resolve));
      for (const wait of this.#waits) {
        if (!wait.holds() && (wait.untilMs ?? Infinity) > this.nowMs) continue;
        this.#waits.delete(wait);
        wait.resolve();
      }
    }
    for (const { sent, edit } of this.#waiting) {
      if (edit.fate !== undefined) sent.fate = edit.fate;
    }
  }

  #at(): string {
    return new Date(this.nowMs).toISOString();
  }

  #begin(batch: NonNullable<ConversationState['batch']>): void {
    const { memory } = this;
    const effects = this.#effects();
    void runBatch(memory, batch, {
      nowMs: () => this.nowMs,
      runCall: (call, edited) =>
        new Promise((resolve) => {
          this.ran.push({ key: call.key, digest: edited?.digest ?? call.inputDigest });
          const output = {
            outcome: 'ok',
            effect: 'happened',
            content: '',
            digest: '',
            size: 0,
            tokens: 0,
          } as const;
          this.#calls.push(() => resolve(settleBy(`1.1.${call.index}`, output)));
        }),
      waitForDecisions: (keys, onDecision) =>
        gate(memory, { keys, onDecision, handOverDue: () => this.#handOverDue }, effects),
    }).then((ended) => {
      if (ended === 'hand_over') this.#continue();
      else this.ended = ended;
    });
  }

  /** The next run: all that it has is what JSON carries. */
  #continue(): void {
    this.runs += 1;
    this.#handOverDue = false;
    this.memory.handingOver = true;
    this.#duringHandOver();
    refuseEdits(this.memory, HANDING_OVER);
    const { state } = this.memory;
    const approvals = carriedApprovals(state.approvals, openKeys(state.batch));
    const carried = JSON.parse(JSON.stringify({ ...state, approvals })) as ConversationState;
    this.memory = new Memory(carried, `run${this.runs}`, () => {});
    if (carried.batch === undefined) throw new Error('the batch is carried');
    this.#firstOfNextRun();
    this.#begin(carried.batch);
  }

  #effects(): GateEffects {
    return {
      nowMs: () => this.nowMs,
      onRefused: () => {},
      waitUntil: (holds, untilMs) =>
        new Promise((resolve, reject) => {
          this.#waits.add({ holds, untilMs, resolve, reject });
        }),
      validate: (_memory, { input }) =>
        new Promise((finish, fail) => {
          this.#validations.push({ input, finish, fail });
        }),
    };
  }
}
