import type { PlannedCall } from '../../core/call.ts';
import type { Json } from '../../core/json.ts';
import type { ToolCallBlock } from '../../core/model-request.ts';
import type { ToolSpec } from '../../core/spec.ts';
import { previewOf } from '../../core/stored.ts';
import type { CallInfo } from '../../tools/tool.ts';
import { digestOf } from '../transcript/digest.ts';
import { plainSummary } from './call-summary.ts';
import type { InputStore } from './input-store.ts';
import { judgeCall, type JudgedCall } from './judge-call.ts';
import { matchingRule } from './matching-rule.ts';
import type { PlanRequest } from './plan-request.ts';
import { recordable } from './recordable.ts';
import { CallEnded } from './call-ended.ts';

export interface PlanContext {
  readonly info: CallInfo;
  readonly store: InputStore;
  /** Of a settled call's message. */
  readonly messageCharacters: number;
}

/** A name that no tool has is the model's, and of any length. */
const NAME_CHARACTERS = 128;

/** Plans one call: it runs, it asks, or it is settled. */
export async function planCall(
  call: { readonly block: ToolCallBlock; readonly index: number; readonly key: string },
  request: PlanRequest,
  context: PlanContext,
): Promise<PlannedCall> {
  const { block, index, key } = call;
  const tool = request.spec.tools.find(({ name }) => name === block.name);
  const name = tool?.name ?? previewOf(block.name, NAME_CHARACTERS);
  const common = { key, callId: block.id, index, tool: name, ...settingsOf(tool) };
  const original = recordable(block.input);
  try {
    const judged = await judgeCall(call, request, context.info);
    const inputDigest = digestOf(judged.input);
    const originalDigest = judged.input === original ? inputDigest : digestOf(original);
    return {
      ...common,
      input: await context.store(judged.input),
      inputDigest,
      ...(originalDigest === inputDigest ? {} : { originalDigest }),
      ...(tool === undefined ? {} : askingOf(tool, judged, request, inputDigest)),
      verdict: judged.verdict,
      ...(judged.reason === undefined ? {} : { reason: judged.reason }),
      summary: judged.summary,
    };
  } catch (error) {
    if (!(error instanceof CallEnded)) throw error;
    return {
      ...common,
      ...(await settled(error, original, context)),
      summary: plainSummary(name, original),
    };
  }
}

async function settled(
  { outcome, message }: CallEnded,
  input: Json,
  { messageCharacters, store }: PlanContext,
): Promise<Pick<PlannedCall, 'input' | 'inputDigest' | 'reason' | 'verdict'>> {
  const short = cut(message, messageCharacters);
  return {
    input: await store(input),
    inputDigest: digestOf(input),
    verdict: { settled: { outcome, effect: 'none', message: short } },
    ...(outcome === 'denied' ? { reason: short } : {}),
  };
}

/** What is frozen of a tool and decides how its calls run; of no tool, what runs nothing. */
function settingsOf(tool: ToolSpec | undefined) {
  if (tool === undefined) {
    return { effect: 'read', danger: false, timeout: 0, parallelSafe: true } as const;
  }
  return {
    effect: tool.effect,
    danger: tool.dangerous,
    timeout: tool.timeoutMs,
    parallelSafe: tool.parallelSafe,
    ...(tool.taskQueue === undefined ? {} : { taskQueue: tool.taskQueue }),
    ...(tool.usesState ? { usesState: true } : {}),
    ...(tool.completion === 'later' ? { completion: tool.completion } : {}),
    ...(tool.reconciles ? { reconciles: true } : {}),
    ...(tool.effect === 'once' ? {} : { retry: tool.retry }),
  };
}

function askingOf(
  tool: ToolSpec,
  judged: JudgedCall,
  { rules }: PlanRequest,
  digest: string,
): Pick<PlannedCall, 'approval' | 'rule'> {
  if (judged.verdict !== 'ask') return {};
  const rule = matchingRule(rules, { tool: tool.name, input: judged.input, digest });
  return { approval: tool.approval, ...(rule === undefined ? {} : { rule: rule.id }) };
}

function cut(text: string, characters: number): string {
  return text.length <= characters
    ? text
    : `${text.slice(0, characters - 1).replace(/\p{Cs}$/u, '')}…`;
}
