import type { PerdureConfig } from '../../define-config.ts';
import { oneLine } from '../report-error.ts';
import type { Finding } from './finding.ts';

const CHECK = 'models';
const TIME_LIMIT_MS = 20_000;

/** Whether each model of the agents answers with the key that is here: one small request each. */
export async function checkModels({ agents }: PerdureConfig): Promise<readonly Finding[]> {
  const models = new Map(
    agents.flatMap((agent) =>
      agent.models.map((model) => [`${model.provider}/${model.id}`, model]),
    ),
  );
  return Promise.all(
    [...models].map(async ([name, model]): Promise<Finding> => {
      const price = model.cost === undefined ? '; it has no price, so no cost is counted' : '';
      if (model.check === undefined) {
        return { check: CHECK, verdict: 'ok', detail: `${name} needs no key` };
      }
      try {
        await model.check({ signal: AbortSignal.timeout(TIME_LIMIT_MS) });
        return { check: CHECK, verdict: 'ok', detail: `${name} answers${price}` };
      } catch (error) {
        const type =
          typeof error === 'object' && error !== null && 'type' in error ? error.type : '';
        const kind = typeof type === 'string' && type !== '' ? `${type}: ` : '';
        return { check: CHECK, verdict: 'bad', detail: `${name}: ${kind}${oneLine(error)}` };
      }
    }),
  );
}
