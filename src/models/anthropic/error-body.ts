import { APIError } from '@anthropic-ai/sdk';
import { isJsonObject, type JsonObject } from '../../core/json.ts';

/** The SDK's error for an error document that came with a 200. */
export function errorOfBody(body: JsonObject, headers: Headers): APIError {
  const type = isJsonObject(body['error']) ? body['error']['type'] : undefined;
  const known = (typeof type === 'string' ? type : null) as APIError['type'];
  return new APIError(undefined, body, undefined, headers, known);
}
