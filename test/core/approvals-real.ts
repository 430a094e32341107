import { expect } from 'vitest';
import {
  type ApprovalBook,
  decisionOf,
  EMPTY_BOOK,
  pendingOf,
  publish,
} from '../../src/core/approval.ts';
import { type ApprovalSettings, DEFAULT_APPROVAL } from '../../src/core/approval-settings.ts';
import { judge } from '../../src/core/judge-verdict.ts';
import { newRequest } from '../../src/core/new-request.ts';
import { outcomeOfDecision } from '../../src/core/outcome-of-decision.ts';
import type { Verdict } from '../../src/core/verdict.ts';
import { type Edit, STARTER } from './approvals-model.ts';

export const HOUR = 3_600_000;
export const SETTINGS: readonly ApprovalSettings[] = [
  DEFAULT_APPROVAL,
  { ...DEFAULT_APPROVAL, quorum: 2, notBy: 'starter' },
  { ...DEFAULT_APPROVAL, timeoutMs: HOUR, remindAfterMs: HOUR / 4 },
  { ...DEFAULT_APPROVAL, onMessageWhileWaiting: 'deny', timeoutMs: 2 * HOUR, quorum: 2 },
];
export const KEYS = SETTINGS.map((_, index) => `c/1.1.${index}.k${index}`);
export const OPEN = new Set(KEYS);

/** The conversation: its book as text, for every command may be the first of a new run. */
export class Conversation {
  text: string;
  nowMs = 0;
  readonly executed: string[] = [];
  readonly results = new Map<string, string>();

  constructor() {
    const asked = SETTINGS.map((settings, index) =>
      newRequest(
        {
          kind: 'call',
          key: KEYS[index] ?? '',
          callId: `call_${index}`,
          tool: 'pay',
          input: { n: 0 },
          digest: 'd0',
          summary: 'pay',
          danger: true,
          reason: 'the tool asks',
        },
        settings,
        0,
      ),
    );
    this.text = JSON.stringify(publish(EMPTY_BOOK, asked));
  }

  get book(): ApprovalBook {
    return JSON.parse(this.text) as ApprovalBook;
  }

  get at(): string {
    return new Date(this.nowMs).toISOString();
  }

  /** Keeps the book, and does with new decisions what a batch does. */
  keep(book: ApprovalBook): void {
    this.text = JSON.stringify(book);
    for (const key of KEYS) {
      const decision = decisionOf(book, key);
      if (decision === undefined || this.results.has(key)) continue;
      expect(pendingOf(book, key)).toBeUndefined();
      const outcome = outcomeOfDecision(decision);
      if (outcome === undefined) this.executed.push(`${key} ${decision.edited?.digest ?? 'd0'}`);
      this.results.set(key, outcome?.outcome ?? 'ran');
    }
  }

  /** As handlers and main loop do it: judged, validated where it is edited, judged again. */
  decide(verdict: Verdict, edit: Edit): string {
    const { at, book } = this;
    const circumstances = {
      at,
      starter: { id: STARTER },
      rules: [],
      isKnownCall: () => false,
    };
    let judgement = judge(book, verdict, circumstances);
    if (judgement.kind === 'validate') {
      if (edit === 'invalid' || edit === undefined) return 'invalid_input';
      const validated = { input: verdict.input ?? null, digest: edit.digest, summary: 'pay more' };
      judgement = judge(book, verdict, { ...circumstances, validated });
    }
    if (judgement.kind === 'taken') this.keep(judgement.book);
    return judgement.kind === 'refused' ? judgement.refusal.code : judgement.kind;
  }
}
