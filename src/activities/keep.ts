import { activityInfo } from '@temporalio/activity';
import { putValue } from '../blobs/stored-value.ts';
import type { KeepInput, KeepOutput } from '../core/activity-shapes.ts';
import type { ActivityEnvironment } from './environment.ts';
import { reading } from './reading.ts';
import { runLocation } from './run-location.ts';
import { demandStore } from './transcript/foreign-blob-store.ts';
import { type KeptTranscript, placesOf } from './transcript/kept-transcript.ts';

/**
 * `perdure.keep`: writes the manifest of a conversation that ends, by which it can be read when the
 * server has let it go. A second attempt writes it again.
 *
 * Fails with `StoreUnavailable`.
 */
export function createKeepActivity(
  environment: Pick<ActivityEnvironment, 'blobs' | 'transcripts'>,
): (input: KeepInput) => Promise<KeepOutput> {
  return async ({ agent, segment, ending, store }) => {
    const location = runLocation(activityInfo());
    const { workflowId } = location;
    return reading(environment, location, async () => {
      await demandStore(environment.blobs, workflowId, store);
      const {
        entries,
        hasFirstEntry: _hasFirstEntry,
        ...record
      } = await environment.transcripts.record(location, agent);
      const kept: KeptTranscript = {
        ...record,
        status: ending.status,
        version: 1,
        places: placesOf(entries),
        endedAt: new Date().toISOString(),
        ending,
        ...(segment === null ? {} : { segment }),
      };
      const { blob } = await putValue(environment.blobs, workflowId, kept, '');
      await environment.blobs.setManifest(workflowId, blob);
      return { manifest: blob };
    });
  };
}
