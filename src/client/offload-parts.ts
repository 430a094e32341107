import type { Content, Part } from '../core/content.ts';
import { INLINE_LIMIT_BYTES } from '../core/stored.ts';
import type { ClientContext } from './client-context.ts';
import { jsonBytes, MAX_PAYLOAD_BYTES } from './payload-size.ts';

/**
 * A message that is too large to send, with its images and documents moved to the blob store. One
 * that fits, or of a client without a blob store, is returned as it is.
 */
export async function offloadParts(
  { blobs }: ClientContext,
  conversationId: string,
  content: Content,
): Promise<Content> {
  if (blobs === undefined || typeof content === 'string') return content;
  if (jsonBytes(content) <= MAX_PAYLOAD_BYTES / 2) return content;
  return Promise.all(
    content.map(async (part): Promise<Part> => {
      if (part.type === 'text' || part.data === undefined) return part;
      if (part.data.length <= INLINE_LIMIT_BYTES) return part;
      const { data, ...rest } = part;
      return { ...rest, blob: await blobs.put(conversationId, Buffer.from(data, 'base64')) };
    }),
  );
}
