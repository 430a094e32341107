import { leftOut, mapParts } from './map-parts.ts';
import type { MessageRule } from './rule.ts';

/**
 * Images and documents that the model does not take, as after a change of the model: words stand for
 * them, so that the model knows that there was something.
 */
export const untakenParts: MessageRule = (messages, { takes, report }) => {
  if (takes.images && takes.documents) return messages;
  return mapParts(messages, (part, at) => {
    if (part.type === 'text') return part;
    if (part.type === 'image' ? takes.images : takes.documents) return part;
    const why = `this model takes no ${part.type}s`;
    report(at(), why);
    return leftOut(part, why);
  });
};
