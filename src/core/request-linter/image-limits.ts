import { imageFacts } from './image-facts.ts';
import { hasParts, leftOut, mapParts } from './map-parts.ts';
import type { MessageRule } from './rule.ts';

/** How many images, and how large in pixels: of too many the oldest go, and the too large ones. */
export const imageLimits: MessageRule = (messages, { limits, report }) => {
  if (!hasParts(messages)) return messages;
  let total = 0;
  mapParts(messages, (part) => {
    if (part.type === 'image') total += 1;
    return part;
  });
  const surplus = Math.max(0, total - limits.images);
  const pixels =
    total - surplus > limits.manyImages
      ? Math.min(limits.pixelsOfMany, limits.imagePixels)
      : limits.imagePixels;
  let count = 0;
  return mapParts(messages, (part, at) => {
    if (part.type !== 'image') return part;
    count += 1;
    const side = longerSide(part.data ?? '');
    const why =
      count <= surplus
        ? `a request may hold ${limits.images} images, and later ones came`
        : side > pixels
          ? `it is too large (${side} pixels, at most ${pixels} here)`
          : undefined;
    if (why === undefined) return part;
    report(at(), why);
    return leftOut(part, why);
  });
};

function longerSide(data: string): number {
  const facts = imageFacts(data);
  return facts === undefined ? 0 : Math.max(facts.width, facts.height);
}
