import type { Json } from './json.ts';
import type { Who } from './who.ts';

/** A person's standing answer: this tool (with these arguments) may run for the rest of the conversation. */
export interface RememberedRule {
  readonly id: string;
  readonly tool: string;
  readonly match:
    | { readonly kind: 'tool' }
    | { readonly kind: 'exact'; readonly digest: string }
    | { readonly kind: 'pointers'; readonly values: { readonly [pointer: string]: Json } };
  readonly by: Who;
  /** ISO 8601. */
  readonly at: string;
}
