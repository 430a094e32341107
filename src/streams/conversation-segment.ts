import { createHash } from 'node:crypto';
import { conversationName } from '../core/conversation-name.ts';

/** A conversation's id as a path segment or part of a key (see `conversationName`). */
export function segmentOf(conversationId: string): string {
  return conversationName(conversationId, (text) =>
    createHash('sha256').update(Buffer.from(text, 'utf16le')).digest('hex'),
  );
}
