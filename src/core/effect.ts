/** What a tool does to the world. One word that decides retries, parallelism and danger (design §4). */
export type Effect = 'read' | 'idempotent' | 'once';

export const EFFECTS: readonly Effect[] = ['read', 'idempotent', 'once'];

/**
 * What is known of one call's effect. `none`: it did not begin, or its author vouches that nothing
 * happened. `happened`: it did. `unknown`: nobody can say.
 */
export type EffectState = 'none' | 'happened' | 'unknown';

/**
 * What is known of a call's effect after one more attempt. Who says that nothing happened speaks of
 * this attempt alone.
 */
export function effectAfter(earlier: EffectState | undefined, own: EffectState): EffectState {
  return own === 'none' || earlier === 'happened' ? (earlier ?? own) : own;
}
