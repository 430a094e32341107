import { isJsonObject } from '../core/json.ts';
import { REFUSAL_CODES, type Refusal } from '../core/refusal.ts';

/** The refusal in the details of a failure; `undefined` when there is none that we know. */
export function refusalIn(details: unknown): Refusal | undefined {
  if (!isJsonObject(details)) return undefined;
  const code = REFUSAL_CODES.find((known) => known === details['code']);
  if (code === undefined) return undefined;
  const { message } = details;
  return { ...details, code, message: typeof message === 'string' ? message : code };
}
