import type { Refusal, RefusalCode } from '../../core/refusal.ts';

/**
 * Something that was sent to a conversation was not taken: `code` says why (docs/approvals.md has
 * the list), `message` what to do, `details` the rest, such as who had decided already.
 * Nothing ran and nothing was recorded as done.
 */
export class PerdureRefusal extends Error {
  override readonly name: string = 'PerdureRefusal';
  readonly code: RefusalCode;
  readonly details: Refusal;

  constructor(refusal: Refusal, options?: { readonly cause?: unknown }) {
    super(refusal.message, options);
    this.code = refusal.code;
    this.details = refusal;
  }
}
