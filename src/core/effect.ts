/** What a tool does to the world. One word that decides retries, parallelism and danger (design §4). */
export type Effect = 'read' | 'idempotent' | 'once';

export const EFFECTS: readonly Effect[] = ['read', 'idempotent', 'once'];

/**
 * What is known of one call's effect. `none`: it did not begin, or its author vouches that nothing
 * happened. `happened`: it did. `unknown`: nobody can say.
 */
export type EffectState = 'none' | 'happened' | 'unknown';
