import { randomBytes } from 'node:crypto';
import type { PlannedCall } from '../core/call.ts';
import type { CallInfo } from '../tools/tool.ts';
import { inputStore } from './planning/input-store.ts';
import { planCall } from './planning/plan-call.ts';
import type { PlanRequest } from './planning/plan-request.ts';

/**
 * Plans every tool call of a completion, in order: whether it can run at all, whether it may, and
 * what the workflow needs to run it. The authors' code is asked about one call at a time.
 * @throws {ApplicationFailure} `NotKnownHere` when deciding about a call needs the code of a tool that
 *   this worker lacks, `StoreUnavailable` when arguments too large for history could not be kept
 */
export async function planCalls(request: PlanRequest): Promise<PlannedCall[]> {
  const { environment, conversationId, position } = request;
  const blocks = request.blocks.filter((block) => block.type === 'tool_call');
  const context = {
    info: infoOf(request),
    store: inputStore(environment, conversationId),
    // The plan is one payload: many calls leave each fewer words.
    messageCharacters: Math.min(4_000, Math.max(200, Math.floor(200_000 / blocks.length))),
  };
  const planned: PlannedCall[] = [];
  for (const [index, block] of blocks.entries()) {
    const random = randomBytes(9).toString('base64url');
    const key = `${conversationId}/${position.turn}.${position.step}.${index}.${random}`;
    planned.push(await planCall({ block, index, key }, request, context));
  }
  return planned;
}

function infoOf({ conversationId, position, spec, state, usage }: PlanRequest): CallInfo {
  return {
    conversationId,
    agent: spec.agent,
    turn: position.turn,
    step: position.step,
    ...(spec.by === undefined ? {} : { by: spec.by }),
    ...(spec.tenant === undefined ? {} : { tenant: spec.tenant }),
    context: spec.context,
    state: state ?? null,
    capabilities: spec.capabilities,
    usage,
  };
}
