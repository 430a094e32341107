import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  createTranscriptReader,
  type TranscriptReaderOptions,
} from '../../../src/activities/transcript/create-transcript-reader.ts';
import type { BlobStore } from '../../../src/blobs/blob-store.ts';
import { fileBlobStore } from '../../../src/blobs/file.ts';

const silent = { debug: () => undefined, warn: () => undefined };

/** A reader as a fresh worker has it. */
export function newReader(
  options: Pick<TranscriptReaderOptions, 'history' | 'blobs'> & Partial<TranscriptReaderOptions>,
) {
  return createTranscriptReader({
    payloadCodecs: [],
    maxBytes: 10_000_000,
    log: silent,
    ...options,
  });
}

export async function newStore(): Promise<BlobStore> {
  return fileBlobStore({ directory: await mkdtemp(join(tmpdir(), 'perdure-transcript-')) });
}
