import { isJsonObject } from '../core/json.ts';
import type { Agent } from './agent.ts';
import { DefinitionError } from './definition-error.ts';
import { shown } from './option-checks.ts';

/**
 * The agents of a worker by name.
 * @throws {DefinitionError} for what `defineAgent` did not make, and for two agents of one name
 */
export function registerAgents(agents: Iterable<Agent<never>>): ReadonlyMap<string, Agent<never>> {
  const byName = new Map<string, Agent<never>>();
  const problems: string[] = [];
  let n = 0;
  for (const agent of agents) {
    if (!isAgent(agent)) {
      problems.push(`agents[${n}]: expected an agent that defineAgent made, got ${shown(agent)}`);
    } else if (byName.has(agent.name)) {
      problems.push(`agent "${agent.name}": two agents have this name: rename one`);
    } else {
      byName.set(agent.name, agent);
    }
    n += 1;
  }
  if (n === 0) problems.push('agents: expected at least one agent, got none');
  if (problems.length > 0) throw new DefinitionError(problems);
  return byName;
}

export function isAgent(value: unknown): value is Agent<never> {
  return isJsonObject(value) && value.kind === 'agent' && typeof value.name === 'string';
}
