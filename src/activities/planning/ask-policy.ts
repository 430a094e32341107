import { isJsonObject, type JsonObject } from '../../core/json.ts';
import type { Policy } from '../../tools/agent.ts';
import { askCode } from './ask-code.ts';
import { kindOfAnswer } from './kind-of-answer.ts';
import type { DecidableCall, DecisionRules } from './decidable-call.ts';
import { CallEnded } from './call-ended.ts';

const REASON_CHARACTERS = 2_000;

export interface PolicyRuling {
  readonly asks: boolean;
  /** Other arguments, not checked yet. */
  readonly input?: JsonObject;
}

/**
 * What the agent's policy says of a call. It gets copies: what it does to them changes nothing.
 * @throws {CallEnded} `denied`, or `approval_failed` when it fails, hangs or answers nonsense
 */
export async function askPolicy(
  policy: Policy,
  call: DecidableCall,
  rules: Pick<DecisionRules, 'info' | 'limitMs'>,
): Promise<PolicyRuling> {
  const { tool, input, callId, key } = call;
  const asked = {
    tool: tool.name,
    input: structuredClone(input),
    effect: tool.effect,
    dangerous: tool.dangerous,
    callId,
    key,
  };
  const answer: unknown = await askCode("The agent's policy", rules.limitMs, () =>
    policy(asked, structuredClone(rules.info)),
  );
  if (answer === 'allow') return { asks: false };
  if (answer === 'ask') return { asks: true };
  const { deny, input: rewritten } = isJsonObject(answer) ? answer : {};
  if (typeof deny === 'string') {
    const reason = deny.trim() === '' ? '' : `: ${deny.slice(0, REASON_CHARACTERS)}`;
    throw new CallEnded('denied', `Denied by the agent's policy${reason}`);
  }
  if (deny === undefined && isJsonObject(rewritten)) return { asks: false, input: rewritten };
  throw new CallEnded(
    'approval_failed',
    `The agent's policy answered ${kindOfAnswer(answer)}; expected 'allow', 'ask', { deny: reason } or { input }.`,
  );
}
