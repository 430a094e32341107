import type { JsonObject } from '../core/json.ts';
import { ModelFailure } from './model.ts';

/** Refuses `modelOptions` that name what the runner sets. */
export function refuseOurs(options: JsonObject, ours: readonly string[]): void {
  const taken = ours.filter((name) => name in options);
  if (taken.length === 0) return;
  throw new ModelFailure(
    'invalid_request',
    `modelOptions may not set ${taken.join(', ')}: the runner does; remove ${taken.length === 1 ? 'it' : 'them'} from the agent`,
  );
}
