import * as z from 'zod/mini';

const textPart = z.strictObject({ type: z.literal('text'), text: z.string() });

const binaryPart = z
  .strictObject({
    type: z.union([z.literal('image'), z.literal('document')]),
    mediaType: z.string().check(z.minLength(1), z.maxLength(255)),
    /** Base64. */
    data: z.optional(z.string()),
    /** SHA-256 (hex) of bytes that already are in the conversation's blob store. */
    blob: z.optional(z.string().check(z.regex(/^[0-9a-f]{64}$/))),
    name: z.optional(z.string().check(z.maxLength(255))),
  })
  .check(
    z.refine((part) => (part.data === undefined) !== (part.blob === undefined), {
      error: 'expected either data (base64) or blob',
    }),
  );

const part = z.union([textPart, binaryPart]);
export const partSchema = () => part;
export type Part = z.infer<typeof part>;
export type TextPart = z.infer<typeof textPart>;

const schema = z.union([z.string(), z.array(part)]).check(
  z.refine((content) => hasContent(content), {
    error: 'expected text that is not empty, or at least one part with content',
  }),
);
/** Text, or parts. Text that is empty or only white space is refused: no model API takes it. */
export const contentSchema = () => schema;
export type Content = string | readonly Part[];

function hasContent(content: Content): boolean {
  if (typeof content === 'string') return content.trim() !== '';
  return content.some((part) => part.type !== 'text' || part.text.trim() !== '');
}

export function partsOf(content: Content): readonly Part[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content;
}

/** The words of a content; other parts are named in brackets. For previews, logs and people. */
export function textOf(content: Content): string {
  return partsOf(content)
    .map((part) => (part.type === 'text' ? part.text : `[${part.type} ${part.mediaType}]`))
    .join('\n');
}
