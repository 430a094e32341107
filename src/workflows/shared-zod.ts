import * as z from 'zod/mini';

/**
 * Loaded before any workflow is: what it imports is shared, and frozen, in all workflows of a thread,
 * where each would hold its own half megabyte of zod. zod completes a kind of schema when the first of
 * it is made, and its errors with the first of those, so each that core uses is made here. A kind that
 * lacks here makes every workflow fail as it loads, whatever its input.
 */
const everyKind = z.strictObject({
  text: z.string().check(
    z.minLength(1),
    z.maxLength(1),
    z.regex(/a/),
    z.refine(() => false),
  ),
  choice: z.optional(z.enum(['a', 'b'])),
  number: z.union([z.literal('a'), z.int(), z.number().check(z.nonnegative(), z.positive())]),
  list: z.array(z.json()),
});
z.safeParse(everyKind, { text: '', choice: 'c', number: -1, list: [undefined], more: 1 });
z.safeParse(everyKind, { text: 'a', number: 1, list: [{}] });
