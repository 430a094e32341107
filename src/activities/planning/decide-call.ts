import type { JsonObject } from '../../core/json.ts';
import type { Tool } from '../../tools/tool.ts';
import { askCode } from './ask-code.ts';
import { askPolicy } from './ask-policy.ts';
import { checkArguments } from './check-arguments.ts';
import { kindOfAnswer } from './kind-of-answer.ts';
import type { DecidableCall, DecisionRules } from './decidable-call.ts';
import { CallEnded } from './call-ended.ts';

export interface CallDecision {
  readonly verdict: 'run' | 'ask';
  /** The effective arguments. */
  readonly input: JsonObject;
  /** Why it asks, and whether the policy changed the arguments. */
  readonly reason?: string;
}

/**
 * Whether a call may run or must ask a person. The policy goes first, for it can refuse and
 * rewrite; then each of tool and control can still ask.
 * @throws {CallEnded} when it may not run, or when that could not be decided
 */
export async function decideCall(call: DecidableCall, rules: DecisionRules): Promise<CallDecision> {
  const { limitMs, policy } = rules;
  await parseInput(call.code, call.input, limitMs, 'invalid_input');
  const ruling = policy === undefined ? { asks: false } : await askPolicy(policy, call, rules);
  const input =
    ruling.input === undefined ? call.input : await checkRewritten(call, ruling.input, limitMs);
  const asks = [
    ...(ruling.asks ? ["the agent's policy asks"] : []),
    ...((await toolAsks(call, input, rules)) ? ['the tool asks'] : []),
    ...(rules.control === 'approve' && call.tool.effect !== 'read'
      ? ['every call that is not read asks']
      : []),
  ];
  const changed = input === call.input ? [] : ["the agent's policy changed the arguments"];
  const reason = [...asks, ...changed].join('; ');
  const verdict = asks.length > 0 ? 'ask' : 'run';
  return { verdict, input, ...(reason === '' ? {} : { reason }) };
}

/** What the tool's code gets of arguments, by its own schema as it is today. */
async function parseInput(
  code: Tool<never> | undefined,
  input: JsonObject,
  limitMs: number,
  outcome: 'invalid_input' | 'approval_failed',
): Promise<unknown> {
  if (code === undefined) return input;
  const what = `The schema of "${code.name}"`;
  const parsed = await askCode(what, limitMs, () => code.parse(input));
  if ('value' in parsed) return parsed.value;
  throw new CallEnded(outcome, parsed.problems.join('\n'));
}

async function checkRewritten(
  call: DecidableCall,
  rewritten: JsonObject,
  limitMs: number,
): Promise<JsonObject> {
  // A copy: the policy may go on changing the object that it handed out.
  const copy = await askCode("The agent's policy", limitMs, () => structuredClone(rewritten));
  const checked = checkArguments(call.tool, copy);
  if ('problems' in checked) {
    throw new CallEnded(
      'approval_failed',
      `The agent's policy changed the arguments to some that do not fit:\n${checked.problems.join('\n')}`,
    );
  }
  await parseInput(call.code, checked.input, limitMs, 'approval_failed');
  return checked.input;
}

async function toolAsks(
  call: DecidableCall,
  input: JsonObject,
  { info, limitMs }: DecisionRules,
): Promise<boolean> {
  const { code, tool } = call;
  if (tool.needsApproval !== 'code') return tool.needsApproval;
  if (code === undefined) throw new Error(`needsApproval of "${tool.name}" is not on this worker`);
  // Today's code may say it without a function.
  const { needsApproval } = code;
  if (typeof needsApproval === 'boolean') return needsApproval;
  const value = await parseInput(code, input, limitMs, 'approval_failed');
  const what = `The needsApproval of "${tool.name}"`;
  const answer: unknown = await askCode(what, limitMs, () =>
    // The tool's own schema made it: only the tool's author knows its type.
    needsApproval(value as never, structuredClone(info)),
  );
  if (typeof answer === 'boolean') return answer;
  throw new CallEnded(
    'approval_failed',
    `${what} answered ${kindOfAnswer(answer)}; expected true or false.`,
  );
}
