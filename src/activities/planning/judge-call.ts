import type { ToolCallBlock } from '../../core/model-request.ts';
import type { Spec, ToolSpec } from '../../core/spec.ts';
import { previewOf } from '../../core/stored.ts';
import { nearestName } from '../../tools/nearest-name.ts';
import type { CallInfo, Tool } from '../../tools/tool.ts';
import { notKnownHere } from '../attempt-failure.ts';
import { callSummary } from './call-summary.ts';
import { checkArguments } from './check-arguments.ts';
import { type CallDecision, decideCall } from './decide-call.ts';
import { heldTools, missingCapabilities } from './held-tools.ts';
import type { PlanRequest } from './plan-request.ts';
import { CallEnded } from './call-ended.ts';
import { CODE_LIMIT_MS } from './within-limit.ts';

export interface JudgedCall extends CallDecision {
  readonly summary: string;
}

/** Calls of one completion that are run: all of a batch is carried at once while people are asked. */
const MAX_CALLS = 128;
/** Names of tools in a message; an agent may have 128. */
const NAMES_SHOWN = 40;

/**
 * Whether one call can run and may: is the completion whole, the tool known, its capabilities held,
 * are the arguments valid, and what do policy, tool and control say.
 * @throws {CallEnded} when it does not run
 * @throws {ApplicationFailure} `NotKnownHere` when that cannot be said without code that is not here
 */
export async function judgeCall(
  call: { readonly block: ToolCallBlock; readonly index: number; readonly key: string },
  request: PlanRequest,
  info: CallInfo,
): Promise<JudgedCall> {
  const { block, index, key } = call;
  const { agent, spec } = request;
  refuseCutCompletion(request);
  const tool = knownTool(block.name, spec);
  if (block.malformed !== undefined) {
    throw new CallEnded('invalid_input', `The arguments are not JSON: ${block.malformed}`);
  }
  const code = codeOf(tool, request);
  const checked = checkArguments(tool, block.input);
  if ('problems' in checked) throw new CallEnded('invalid_input', checked.problems.join('\n'));
  if (index >= MAX_CALLS) {
    throw new CallEnded('truncated', `Of one completion the first ${MAX_CALLS} calls are run.`);
  }
  const limitMs = request.codeLimitMs ?? CODE_LIMIT_MS;
  if (code === undefined && tool.needsApproval === 'code') throw notHere(tool, request);
  const decision = await decideCall(
    { tool, code, input: checked.input, callId: block.id, key },
    { control: spec.control, policy: agent.policy, info, limitMs },
  );
  // People are only asked about what can run. What may run anyway waits for a worker that has it.
  if (code === undefined && decision.verdict === 'ask') throw notHere(tool, request);
  return { ...decision, summary: await callSummary(tool.name, decision.input, { code, limitMs }) };
}

function notHere(tool: ToolSpec, { agent, environment }: PlanRequest): Error {
  const known = agent.tools.map(({ name }) => name);
  return notKnownHere(
    `the agent "${agent.name}" on worker ${environment.identity} has no tool "${tool.name}"; it has: ${known.join(', ')}`,
    { known, patienceMs: environment.deployPatienceMs },
  );
}

function refuseCutCompletion({ stopReason }: PlanRequest): void {
  switch (stopReason) {
    case 'max_tokens':
      throw new CallEnded('truncated', 'The completion reached its limit of output tokens.');
    case 'context_overflow':
      throw new CallEnded('truncated', 'The completion reached the end of the context window.');
    case 'refused':
      throw new CallEnded('truncated', 'The model ended the completion with a refusal.');
    case 'other':
      throw new CallEnded('truncated', 'The completion ended for a reason that is not known here.');
    case 'end':
    case 'tool_calls':
    case 'unparseable':
      return;
  }
}

function knownTool(name: string, spec: Spec): ToolSpec {
  const tool = spec.tools.find((candidate) => candidate.name === name);
  if (tool === undefined) {
    throw new CallEnded(
      'unknown_tool',
      `No tool has the name ${JSON.stringify(previewOf(name, 64))}. ${toolsInWords(name, spec)}`,
    );
  }
  const missing = missingCapabilities(tool, spec);
  if (missing.length > 0) {
    const names = missing.map((capability) => JSON.stringify(capability)).join(', ');
    throw new CallEnded('unavailable', `"${name}" needs the capability ${names}.`);
  }
  return tool;
}

/** Today's code of a tool; undefined where another worker may still have it. */
function codeOf(
  tool: ToolSpec,
  { agent, patienceOver, spec }: PlanRequest,
): Tool<never> | undefined {
  const code = agent.tools.find(({ name }) => name === tool.name);
  if (code !== undefined || patienceOver !== true) return code;
  throw new CallEnded(
    'unknown_tool',
    `"${tool.name}" was taken away since this conversation began. ${toolsInWords(tool.name, {
      ...spec,
      tools: spec.tools.filter(({ name }) => agent.tools.some((one) => one.name === name)),
    })}`,
  );
}

/** Only tools that the conversation may use: others are none of its business. */
function toolsInWords(wanted: string, spec: Spec): string {
  const names = heldTools(spec).map(({ name }) => name);
  if (names.length === 0) return 'There are no tools in this conversation.';
  const nearest = nearestName(wanted, names);
  const more = names.length > NAMES_SHOWN ? `, and ${names.length - NAMES_SHOWN} more` : '';
  const list = `The tools are: ${names.slice(0, NAMES_SHOWN).join(', ')}${more}.`;
  return nearest === undefined ? list : `Did you mean "${nearest}"? ${list}`;
}
