import * as z from 'zod/mini';
import { type Who, whoSchema } from './who.ts';

const id = z.string().check(z.minLength(1), z.maxLength(1000));

/** A longer reason is refused: the model reads it, and every answer about the request carries it. */
export const MAX_REASON_BYTES = 16 * 1024;

const remembered = z.union([
  z.literal('conversation'),
  z.strictObject({
    scope: z.literal('conversation'),
    match: z.union([
      z.literal('tool'),
      z.literal('exact'),
      z.array(z.string().check(z.maxLength(200))).check(z.minLength(1), z.maxLength(20)),
    ]),
  }),
]);
/** What a person may ask to be remembered: the tool, this exact input, or the values at JSON pointers. */
export type Remember = z.infer<typeof remembered>;

const common = {
  key: z.optional(id),
  callId: z.optional(id),
  by: whoSchema(),
  reason: z.optional(z.string()),
  /** A retry of the same verdict by its sender answers as the first time. */
  verdictId: z.optional(id),
};

const approval = {
  ...common,
  /** Replaces the arguments; validated by the tool's frozen schema. */
  input: z.optional(z.json()),
  remember: z.optional(remembered),
  /** The request's `digest`: refused when the arguments are not those that were seen. */
  digest: z.optional(z.string()),
};

function hasTarget(verdict: { key?: string | undefined; callId?: string | undefined }): boolean {
  return verdict.key !== undefined || verdict.callId !== undefined;
}
const target = { error: 'expected the key (or the callId) of the call', path: ['key'] };

const approve = z.strictObject(approval).check(z.refine(hasTarget, target));
/** Signal `approve`. */
export const approveSchema = () => approve;
const deny = z.strictObject(common).check(z.refine(hasTarget, target));
/** Signal `deny`. */
export const denySchema = () => deny;
const verdict = z
  .strictObject({ decision: z.enum(['approve', 'deny']), ...approval })
  .check(z.refine(hasTarget, target));
/** Update `decide`. */
export const verdictSchema = () => verdict;
export type Verdict = z.infer<typeof verdict>;

/** What update `decide` answers. */
export interface DecideAnswer {
  readonly decision: 'approve' | 'deny';
  readonly key: string;
  readonly by: Who;
  /** ISO 8601. */
  readonly at: string;
  /** Different people who must still approve before the call runs; absent when it is decided. */
  readonly stillNeeded?: number;
}
