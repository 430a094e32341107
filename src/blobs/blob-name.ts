import { createHash } from 'node:crypto';
import { conversationName } from '../core/conversation-name.ts';

const SHA256 = /^[0-9a-f]{64}$/;

export function isSha256(text: string): boolean {
  return SHA256.test(text);
}

export function sha256Of(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** A conversation's id as a path segment (see `conversationName`). */
export function segmentOf(conversationId: string): string {
  return conversationName(conversationId, (text) => sha256Of(Buffer.from(text, 'utf16le')));
}
