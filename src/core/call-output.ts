import type { CallOutput } from './activity-shapes.ts';
import { isJsonObject } from './json.ts';
import { CATEGORIES } from './outcome.ts';
import { isBlobReference } from './stored.ts';

/**
 * Whether a result is one that a call's activity gives. Whoever has the token, and every operator, can
 * complete an activity with anything else.
 */
export function isCallOutput(value: unknown): value is CallOutput {
  if (!isJsonObject(value)) return false;
  const { outcome, effect, content, digest, size, tokens, patch } = value;
  const isContent =
    typeof content === 'string' || Array.isArray(content) || isBlobReference(content);
  return (
    (CATEGORIES as readonly unknown[]).includes(outcome) &&
    (effect === 'none' || effect === 'happened' || effect === 'unknown') &&
    isContent &&
    typeof digest === 'string' &&
    typeof size === 'number' &&
    typeof tokens === 'number' &&
    (patch === undefined || Array.isArray(patch))
  );
}
