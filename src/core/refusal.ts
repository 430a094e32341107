import type { Json } from './json.ts';

/** The `type` of the failure that a refused update or a client call carries. */
export const REFUSAL_TYPE = 'PerdureRefusal';

export const REFUSAL_CODES = [
  'not_pending',
  'already_decided',
  'unknown_call',
  'unknown_rule',
  'digest_mismatch',
  'invalid_verdict',
  'invalid_input',
  'not_allowed',
  'handing_over',
  'invalid_message',
  'too_large',
  'inbox_full',
  'closed',
  'undecodable',
] as const;
export type RefusalCode = (typeof REFUSAL_CODES)[number];

/** Why something that was sent to a conversation was not taken, with what to do about it. */
export interface Refusal {
  readonly code: RefusalCode;
  readonly message: string;
  readonly [detail: string]: Json | undefined;
}
