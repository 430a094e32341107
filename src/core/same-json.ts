import type { Json } from './json.ts';

/**
 * Equality of JSON values as RFC 6902 §4.6 has it: the order of an object's members does not count.
 * Members may have any name, also those that objects inherit (`toString`, `constructor`).
 */
export function isSameJson(one: Json, other: Json): boolean {
  if (one === other) return true;
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) {
    return false;
  }
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const members = Object.entries(one);
  return (
    members.length === Object.keys(other).length &&
    members.every(
      ([name, part]) =>
        Object.hasOwn(other, name) &&
        isSameJson(part, (other as { readonly [name: string]: Json })[name] as Json),
    )
  );
}
