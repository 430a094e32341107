import type { SpecInput } from '../../core/activity-shapes.ts';
import { describeError } from '../../core/describe-error.ts';
import type { Agent } from '../../tools/agent.ts';
import { hasLoneSurrogate } from '../../tools/json-problems.ts';
import { agentInvalid } from './spec-failure.ts';

/**
 * An agent's instructions, evaluated once for a conversation.
 * @param tools names of the tools that the conversation may use
 * @throws {ApplicationFailure} `AgentInvalid` when the code fails or what it says cannot be sent
 */
export async function evaluateInstructions(
  agent: Agent<never>,
  input: SpecInput,
  tools: readonly string[],
): Promise<string> {
  const text: unknown = await evaluate(agent, input, tools);
  const problem = problemOf(text);
  if (problem === undefined && typeof text === 'string') return text;
  throw agentInvalid(agent.name, `its instructions are ${problem}; expected text`);
}

async function evaluate(
  { instructions, name }: Agent<never>,
  { capabilities, context }: SpecInput,
  tools: readonly string[],
): Promise<unknown> {
  if (typeof instructions === 'string') return instructions;
  try {
    return await instructions({
      agent: name,
      context: structuredClone(context),
      capabilities: [...capabilities],
      tools,
    });
  } catch (error) {
    throw agentInvalid(
      name,
      `its instructions could not be evaluated: ${describeError(error)}`,
      error,
    );
  }
}

function problemOf(text: unknown): string | undefined {
  if (typeof text !== 'string') return text === undefined ? 'undefined' : `a ${typeof text}`;
  if (text.trim() === '') return 'empty';
  return hasLoneSurrogate(text) ? 'text with half of a surrogate pair' : undefined;
}
