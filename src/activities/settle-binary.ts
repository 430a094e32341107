import type { Content, Part } from '../core/content.ts';

/** Media types that model APIs take, by the bytes with which they begin. */
const SIGNATURES: readonly {
  readonly mediaType: string;
  readonly fits: (head: string) => boolean;
}[] = [
  { mediaType: 'image/png', fits: (head) => head.startsWith('\x89PNG\r\n\x1a\n') },
  { mediaType: 'image/jpeg', fits: (head) => head.startsWith('\xff\xd8\xff') },
  { mediaType: 'image/gif', fits: (head) => /^GIF8[79]a/.test(head) },
  { mediaType: 'image/webp', fits: (head) => /^RIFF[\s\S]{4}WEBP/.test(head) },
  { mediaType: 'application/pdf', fits: (head) => head.startsWith('%PDF-') },
];

/** The media type that bytes have, of those that model APIs take; whatever they are said to be. */
export function sniffMediaType(bytes: Uint8Array): string | undefined {
  const head = Buffer.from(bytes.subarray(0, 16)).toString('latin1');
  return SIGNATURES.find(({ fits }) => fits(head))?.mediaType;
}

export function binaryPart(mediaType: string, bytes: Uint8Array): Part {
  return {
    type: mediaType.startsWith('image/') ? 'image' : 'document',
    mediaType,
    data: Buffer.from(bytes).toString('base64'),
  };
}

/** Bytes of one image or document: what model APIs take of an image. */
export const MAX_BINARY_BYTES = 5 * 1024 * 1024;

/** Above this share of bytes that are no UTF-8, bytes are not shown as text. */
const MAX_UNREADABLE = 0.1;

/**
 * Bytes as content: an image or document that model APIs take, text where they are text, else a
 * line that says what they are. `changed`: the content does not say all that the bytes say.
 */
export function contentOfBytes(bytes: Uint8Array): {
  readonly content: Content;
  readonly changed: boolean;
} {
  const mediaType = sniffMediaType(bytes);
  if (mediaType !== undefined) {
    return bytes.length > MAX_BINARY_BYTES
      ? {
          content: `[${mediaType} of ${bytes.length} bytes, too large to be shown.]`,
          changed: true,
        }
      : { content: [binaryPart(mediaType, bytes)], changed: false };
  }
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
  const unreadable = text.match(/[\ufffd\0]/g)?.length ?? 0;
  if (unreadable > text.length * MAX_UNREADABLE) {
    return { content: `[Binary data of ${bytes.length} bytes, not shown.]`, changed: true };
  }
  return { content: text, changed: unreadable > 0 };
}
