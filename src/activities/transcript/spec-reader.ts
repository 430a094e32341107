import { LRUCache } from 'lru-cache';
import type { BlobStore } from '../../blobs/blob-store.ts';
import { loadValue } from '../../blobs/stored-value.ts';
import type { Spec, SpecRecord } from '../../core/spec.ts';
import { isBlobReference } from '../../core/stored.ts';
import { type Measure, measure } from './digest.ts';
import { ForeignBlobStore } from './foreign-blob-store.ts';
import type { HistorySource } from './history-source.ts';
import type { PayloadDecoder } from './payload-decoder.ts';
import { readSpecRecord } from './run-beginning.ts';
import { SpecNotFound } from './spec-not-found.ts';
import type { RunLocation } from './transcript-reader.ts';

export interface SpecReader {
  /**
   * Gives a spec by digest, from memory or from the run's first pages.
   * @throws {SpecNotFound} @throws {ForeignBlobStore} @throws {BlobMissing}
   */
  readonly read: (location: RunLocation, digest: string) => Promise<Spec>;
  /** Takes the spec of a conversation whose store is this worker's: it was just made here. */
  readonly remember: (location: RunLocation, spec: Spec, measured: Measure) => void;
}

export function createSpecReader(options: {
  readonly history: HistorySource;
  readonly decode: PayloadDecoder;
  readonly blobs: BlobStore;
  readonly maxBytes: number;
}): SpecReader {
  const specs = new LRUCache<string, Spec>({ maxSize: options.maxBytes });
  const reads = new Map<string, Promise<Spec>>();

  async function read(location: RunLocation, digest: string, key: string): Promise<Spec> {
    const record = await readSpecRecord(options.history, options.decode, location, digest);
    if (record === undefined) throw new SpecNotFound(location, digest);
    await checkStore(options.blobs, location.workflowId, record);
    const spec = await loadValue(options.blobs, location.workflowId, record.spec);
    const measured = measure(spec);
    if (measured.digest !== digest) throw new SpecNotFound(location, digest);
    specs.set(key, spec, { size: measured.characters * 2 });
    return spec;
  }

  return {
    async read(location, digest) {
      const key = keyOf(location, digest);
      const known = specs.get(key);
      if (known !== undefined) return known;
      const running =
        reads.get(key) ?? read(location, digest, key).finally(() => reads.delete(key));
      reads.set(key, running);
      return running;
    },

    remember(location, spec, { digest, characters }) {
      specs.set(keyOf(location, digest), spec, { size: characters * 2 });
    },
  };
}

/** By conversation too: that its store is this one was checked for it alone. */
function keyOf({ namespace, workflowId }: RunLocation, digest: string): string {
  return JSON.stringify([namespace, workflowId, digest]);
}

async function checkStore(blobs: BlobStore, workflowId: string, record: SpecRecord): Promise<void> {
  let id: string;
  try {
    id = await blobs.id();
  } catch (error) {
    // A store that is away ends nothing that does not need it.
    if (isBlobReference(record.spec)) throw error;
    return;
  }
  if (id !== record.blobStore) throw new ForeignBlobStore(workflowId, record.blobStore, id);
}
