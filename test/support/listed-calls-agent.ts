import type { Json } from '../../src/core/json.ts';
import { textOf } from '../../src/core/content.ts';
import type { ModelRequest } from '../../src/core/model-request.ts';
import { ModelFailure } from '../../src/models/model.ts';
import { scripted, type ScriptedStep, toolCall } from '../../src/models/scripted.ts';
import { type AgentDefinition, defineAgent } from '../../src/tools/define-agent.ts';
import { violationsOf } from '../core/request-linter/check-request.ts';

export type ListedCallsOptions = Partial<
  Pick<AgentDefinition, 'approval' | 'control' | 'policy' | 'runAsDecided' | 'limits' | 'onLimit'>
>;

/**
 * An agent that makes the calls that a message lists as JSON, `[["pay", {…}], …]`, and then says
 * what it was shown of their results. It refuses to go on with a transcript that is not valid.
 */
export function listedCallsAgent(
  name: string,
  options: Pick<AgentDefinition, 'tools'> & ListedCallsOptions,
) {
  return defineAgent({ name, model: scripted(turnOf), instructions: 'Pay.', ...options });
}

function turnOf(request: ModelRequest): ScriptedStep {
  const wrong = violationsOf(request);
  if (wrong.length > 0) throw new ModelFailure('invalid_request', wrong.join('; '));
  const last = request.messages.at(-1);
  if (last?.role === 'tool') {
    return last.results.map(({ content }) => textOf(content)).join('\n---\n');
  }
  const said = last?.role === 'user' ? textOf(last.content) : '';
  if (!said.startsWith('[[')) return `heard: ${said}`;
  const calls = JSON.parse(said) as [string, Json][];
  return calls.map(([tool, input]) => toolCall(tool, input));
}
