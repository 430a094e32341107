import * as z from 'zod/mini';

const schema = z.strictObject({
  /** The last recorded item: run, event, and which of the event's items. */
  run: z.optional(z.string()),
  eventId: z.optional(z.number()),
  part: z.optional(z.number()),
  /** When it was recorded: by it a run that is gone is told from one that is to come. */
  at: z.optional(z.string()),
  /** The event sink's. */
  offset: z.optional(z.string()),
  written: z.optional(
    z.strictObject({
      step: z.string(),
      characters: z.number(),
      hash: z.number(),
      space: z.optional(z.number()),
    }),
  ),
});

/** How far a watcher has seen. */
export type WatchCursor = z.infer<typeof schema>;

export function cursorText(cursor: WatchCursor): string {
  return Buffer.from(JSON.stringify(cursor)).toString('base64url');
}

/** @throws {TypeError} for a text that no item had as its cursor */
export function cursorOf(text: string): WatchCursor {
  try {
    return schema.parse(JSON.parse(Buffer.from(text, 'base64url').toString('utf8')));
  } catch (error) {
    throw new TypeError(
      `from: expected the cursor of an item that was watched before, or "now"; got ${JSON.stringify(text).slice(0, 80)}`,
      { cause: error },
    );
  }
}
