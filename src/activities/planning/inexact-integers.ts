import type { Json } from '../../core/json.ts';
import { pointerTo } from '../../tools/json-pointer.ts';

/**
 * Integers beyond ±(2^53 − 1), with JSON pointers. Their last digits may already be other ones than
 * those that were sent; nothing here can tell, so none is passed on.
 */
export function inexactIntegers(value: Json, path: readonly (string | number)[] = []): string[] {
  if (typeof value === 'number') {
    if (!Number.isInteger(value) || Number.isSafeInteger(value)) return [];
    return [
      `${pointerTo(path)}: ${value} is an integer beyond ±${Number.MAX_SAFE_INTEGER}, where digits get lost: send it as a string`,
    ];
  }
  if (typeof value !== 'object' || value === null) return [];
  const parts: readonly (readonly [string | number, Json])[] = Array.isArray(value)
    ? value.map((part: Json, n) => [n, part] as const)
    : Object.entries(value);
  return parts.flatMap(([name, part]) => inexactIntegers(part, [...path, name]));
}
