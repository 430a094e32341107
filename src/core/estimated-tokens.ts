import { partsOf, type Content } from './content.ts';
import { utf8Bytes } from './slices.ts';

/** Measured over English, code and JSON; other languages have fewer characters per token, but more bytes. */
const BYTES_PER_TOKEN = 3.2;
/** What providers count for an image of ordinary size. */
const TOKENS_PER_IMAGE = 1_600;
/** A page of PDF is some 50 KB of base64 and 2,000 tokens. */
const BASE64_PER_DOCUMENT_TOKEN = 25;
/** A document whose size is not at hand. */
const TOKENS_PER_DOCUMENT = 10_000;

/** About how many tokens a content costs; corrected by the provider's figures later. */
export function estimatedTokens(content: Content): number {
  return partsOf(content).reduce((sum, part) => {
    switch (part.type) {
      case 'text':
        return sum + Math.ceil(utf8Bytes(part.text) / BYTES_PER_TOKEN);
      case 'image':
        return sum + TOKENS_PER_IMAGE;
      case 'document':
        return (
          sum +
          (part.data === undefined
            ? TOKENS_PER_DOCUMENT
            : Math.ceil(part.data.length / BASE64_PER_DOCUMENT_TOKEN))
        );
    }
  }, 0);
}
