import type { SpecInput } from '../../core/activity-shapes.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import { utf8Bytes } from '../../core/slices.ts';
import { MAX_CONTEXT_BYTES, MAX_STATE_BYTES } from '../../core/start.ts';
import type { Agent } from '../../tools/agent.ts';
import { jsonProblems } from '../../tools/json-problems.ts';
import { validateJson } from '../../tools/schema/validator.ts';

/** Everything that an agent has against what a starter gave, each with its JSON pointer. */
export function startProblems(agent: Agent<never>, input: SpecInput): string[] {
  return [
    ...valueProblems('context', input.context, agent.contextSchema, MAX_CONTEXT_BYTES),
    ...(input.state === undefined
      ? []
      : valueProblems('state', input.state, agent.stateSchema, MAX_STATE_BYTES)),
  ];
}

/** Four eyes cannot be kept where nobody knows who started: said now, not when a person approves. */
export function starterProblems(agent: Agent<never>, input: SpecInput): string[] {
  if (input.by !== undefined) return [];
  const asking = [agent, ...agent.tools].find(({ approval }) => approval?.notBy === 'starter');
  if (asking === undefined) return [];
  return [
    `by: expected who starts it, such as {"id":"ana"}: "${asking.name}" wants approvals by somebody else (notBy: 'starter')`,
  ];
}

function valueProblems(
  name: 'context' | 'state',
  value: Json,
  schema: JsonObject | undefined,
  maxBytes: number,
): string[] {
  const bytes = utf8Bytes(JSON.stringify(value));
  if (bytes > maxBytes)
    return [`${name}: expected at most ${maxBytes} bytes of JSON, got ${bytes}`];
  const unrecordable = jsonProblems(value);
  const problems =
    unrecordable.length > 0 || schema === undefined ? unrecordable : validateJson(schema, value);
  return problems.map((problem) => `${name} ${problem}`);
}
