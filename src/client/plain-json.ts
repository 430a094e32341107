import type { JsonObject } from '../core/json.ts';

/** A checked value in the form in which it is sent: without what is `undefined`. */
export function plainJson(value: object): JsonObject {
  return JSON.parse(JSON.stringify(value)) as JsonObject;
}
