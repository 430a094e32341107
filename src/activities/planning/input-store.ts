import { storeValue } from '../../blobs/stored-value.ts';
import type { Json } from '../../core/json.ts';
import type { Stored } from '../../core/stored.ts';
import type { ActivityEnvironment } from '../environment.ts';
import { createPatientPut } from '../put-patiently.ts';
import { storeFailure } from '../store-failure.ts';

/** All arguments of one completion that history holds inline: the plan is one payload. */
const INLINE_BYTES_PER_PLAN = 256 * 1024;

export type InputStore = (input: Json) => Promise<Stored<Json>>;

/**
 * Keeps the arguments of one completion's calls: inline, or in the blob store where one is large or
 * all together would be. A completion is paid for, so a put is tried more than once.
 */
export function inputStore(
  environment: Pick<ActivityEnvironment, 'blobs' | 'inlineLimitBytes'>,
  conversationId: string,
): InputStore {
  let left = INLINE_BYTES_PER_PLAN;
  let failure: unknown;
  const put = createPatientPut((error) => {
    failure = error;
  });
  return async (input) => {
    const bytes = Buffer.byteLength(JSON.stringify(input));
    const inlineLimitBytes = Math.min(environment.inlineLimitBytes, left);
    const stored = await put(() =>
      storeValue(environment.blobs, conversationId, input, { inlineLimitBytes }),
    );
    if (stored === undefined) {
      throw storeFailure(environment.blobs, `keeping arguments of ${bytes} bytes`, failure);
    }
    if (bytes <= inlineLimitBytes) left -= bytes;
    return stored;
  };
}
