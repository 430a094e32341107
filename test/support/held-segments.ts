import { once } from 'node:events';
import { EventEmitter } from 'node:events';
import type { BlobStore } from '../../src/blobs/blob-store.ts';
import { fileBlobStore } from '../../src/blobs/file.ts';

export interface HeldSegments extends BlobStore {
  /** From here on segments wait: hand-overs stay under way. */
  hold(): void;
  /** From here on blobs with this text wait, too. */
  holdBlobsWith(text: string): void;
  /** Whether one of them waits. */
  isHoldingBlob(): boolean;
  releaseBlobs(): void;
  /** Lets those that wait be written. */
  release(): void;
}

/** A file store that can keep a conversation in the middle of its hand-over. */
export function heldSegments(directory: string): HeldSegments {
  const store = fileBlobStore({ directory });
  const released = new EventEmitter();
  released.setMaxListeners(0);
  let isHolding = false;
  let heldText: string | undefined;
  let heldBlobs = 0;
  return {
    ...store,
    async put(conversationId, bytes) {
      const isSegment = Buffer.from(bytes.subarray(0, 12)).toString() === '{"previous":';
      if (isSegment && isHolding) await once(released, 'release');
      if (heldText !== undefined && !isSegment && Buffer.from(bytes).includes(heldText)) {
        heldBlobs += 1;
        await once(released, 'blobs');
      }
      return store.put(conversationId, bytes);
    },
    hold() {
      isHolding = true;
    },
    holdBlobsWith(text) {
      heldText = text;
    },
    isHoldingBlob: () => heldBlobs > 0,
    releaseBlobs() {
      heldText = undefined;
      released.emit('blobs');
    },
    release() {
      isHolding = false;
      released.emit('release');
    },
  };
}
