import type { Json } from '../../core/json.ts';
import { MAX_JSON_DEPTH } from '../../tools/json-problems.ts';

/**
 * Arguments as they can be recorded when they are refused: numbers that JSON cannot carry as text,
 * and nothing below the depth that digests and stores can take. Others come back as they are.
 */
export function recordable(input: Json): Json {
  return isRecordable(input, 0) ? input : mended(input, 0);
}

function isRecordable(value: Json, depth: number): boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object' || value === null) return true;
  return (
    depth < MAX_JSON_DEPTH && Object.values(value).every((part) => isRecordable(part, depth + 1))
  );
}

function mended(value: Json, depth: number): Json {
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= MAX_JSON_DEPTH) return '…';
  if (Array.isArray(value)) return value.map((part: Json) => mended(part, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [name, mended(part, depth + 1)]),
  );
}
