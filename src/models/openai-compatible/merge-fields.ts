import { isJsonObject, type Json, type JsonObject } from '../../core/json.ts';

/**
 * Adds the fields of a delta that we have no word for (`reasoning_details`, `extra_content`, …), so
 * that they can be sent back as they came: text grows, lists grow, objects are merged, the rest is
 * replaced.
 */
export function mergeFields(into: JsonObject, delta: JsonObject): JsonObject {
  const merged: Record<string, Json> = { ...into };
  for (const [name, value] of Object.entries(delta)) {
    if (name === '__proto__') continue;
    merged[name] = mergeValue(merged[name], value);
  }
  return merged;
}

function mergeValue(earlier: Json | undefined, value: Json): Json {
  if (value === null && earlier !== undefined) return earlier;
  if (typeof earlier === 'string' && typeof value === 'string') return earlier + value;
  if (Array.isArray(earlier) && Array.isArray(value)) {
    return (value as readonly Json[]).reduce<readonly Json[]>(addItem, earlier as readonly Json[]);
  }
  if (isJsonObject(earlier) && isJsonObject(value)) return mergeFields(earlier, value);
  return value;
}

/** Pieces of one item carry its index; their texts are one text. */
function addItem(items: readonly Json[], item: Json): readonly Json[] {
  const last = items.at(-1);
  const continues =
    isJsonObject(item) &&
    isJsonObject(last) &&
    item['index'] !== undefined &&
    item['index'] === last['index'] &&
    item['type'] === last['type'];
  return continues ? [...items.slice(0, -1), mergePieces(last, item)] : [...items, item];
}

const GROWING = new Set(['text', 'summary', 'data', 'thinking']);

function mergePieces(last: JsonObject, item: JsonObject): JsonObject {
  const merged: Record<string, Json> = { ...last };
  for (const [name, value] of Object.entries(item)) {
    const earlier = merged[name];
    const grows = GROWING.has(name) && typeof earlier === 'string' && typeof value === 'string';
    if (grows) merged[name] = earlier + value;
    else if (value !== null || earlier === undefined) merged[name] = value;
  }
  return merged;
}
