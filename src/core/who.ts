import * as z from 'zod/mini';

const short = z.string().check(z.minLength(1), z.maxLength(255));

/** A person or service: who started, said, decided. `via` names the door that they used. */
export const whoSchema = z.strictObject({
  id: short,
  name: z.optional(short),
  via: z.optional(short),
});
export type Who = z.infer<typeof whoSchema>;
