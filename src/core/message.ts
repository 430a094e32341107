import * as z from 'zod/mini';
import { contentSchema } from './content.ts';
import { whoSchema } from './who.ts';

const message = z.strictObject({
  content: contentSchema(),
  /** A message with an id that was seen before is taken once. */
  id: z.optional(z.string().check(z.minLength(1), z.maxLength(255))),
  /** `steer` enters at the next step of the running turn; default `queue`, the next turn. */
  when: z.optional(z.enum(['queue', 'steer'])),
  by: z.optional(whoSchema()),
});
/** Signal `message` and update `send` (format.md §1). */
export const messageSchema = () => message;
export type Message = z.infer<typeof message>;

/** What update `send` answers. */
export interface SendAnswer {
  readonly turn: number;
  readonly state: 'started' | 'queued' | 'steered' | 'denied_pending';
}

const stop = z.strictObject({
  reason: z.optional(z.string()),
  by: z.optional(whoSchema()),
});
/** Signals `stop` and `close`. */
export const stopSchema = () => stop;
export type Stop = z.infer<typeof stop>;
