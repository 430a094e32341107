import type { Logger } from '@temporalio/worker';
import type { Agent } from '../tools/agent.ts';

/** Says once which models have no price: their usage is counted, their cost is not. */
export function sayUnpriced(agents: Iterable<Agent<never>>, log: Logger): void {
  const unpriced = new Set<string>();
  for (const { models } of agents) {
    for (const { id, provider, cost } of models) {
      if (cost === undefined && provider !== 'scripted') unpriced.add(`${provider}/${id}`);
    }
  }
  if (unpriced.size === 0) return;
  log.info(
    'These models have no price: their usage is counted without cost, and maxCost is blind.',
    {
      models: [...unpriced],
    },
  );
}
