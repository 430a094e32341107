import * as z from 'zod/mini';
import { contentSchema } from './content.ts';
import { durationSchema } from './duration.ts';
import { limitsSchema } from './limits.ts';
import { whoSchema } from './who.ts';

const name = z.string().check(z.minLength(1), z.maxLength(255));

export const MAX_CONTEXT_BYTES = 8 * 1024;
export const MAX_STATE_BYTES = 32 * 1024;

const schema = z
  .strictObject({
    /** Required in mode `task`. */
    message: z.optional(contentSchema()),
    /** Default `task`. */
    mode: z.optional(z.enum(['task', 'chat'])),
    /** What tools get as `ctx.context`; at most 8 KiB of JSON; frozen into the spec. */
    context: z.optional(z.json()),
    /** The shared state to begin with; at most 32 KiB of JSON. */
    state: z.optional(z.json()),
    /** May lower the agent's limits, never raise them. */
    limits: z.optional(limitsSchema()),
    capabilities: z.optional(z.array(name).check(z.maxLength(100))),
    by: z.optional(whoSchema()),
    tenant: z.optional(name),
    tags: z.optional(z.array(name).check(z.maxLength(20))),
    /** Mode `chat`: completes after this long without a message; default 30 days. */
    idleTimeout: z.optional(durationSchema()),
    /** `approve`: ask a person for every call whose tool is not `read`. */
    control: z.optional(z.enum(['policy', 'approve'])),
    /** Of every approval in this conversation; may shorten what tool and agent say, never lengthen it. */
    approvalTimeout: z.optional(durationSchema()),
  })
  .check(
    z.refine((start) => start.mode === 'chat' || start.message !== undefined, {
      error: 'a message is required in mode "task"',
      path: ['message'],
    }),
  );
/** The workflow's one argument (format.md §1). */
export const startSchema = () => schema;
export type Start = z.infer<typeof schema>;
