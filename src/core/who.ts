import * as z from 'zod/mini';

const short = z.string().check(z.minLength(1), z.maxLength(255));

const who = z.strictObject({
  id: short,
  name: z.optional(short),
  via: z.optional(short),
});
export const whoSchema = () => who;
/** A person or service: who started, said, decided. `via` names the door that they used. */
export type Who = z.infer<typeof who>;
