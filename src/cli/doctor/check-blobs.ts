import { access, constants } from 'node:fs/promises';
import { randomBytes, randomUUID } from 'node:crypto';
import type { ResolvedSettings } from '../../worker/worker-settings.ts';
import { oneLine } from '../report-error.ts';
import type { Finding } from './finding.ts';

const CHECK = 'blob store';

/** Whether content can be kept and read back. What it writes is removed again. */
export async function checkBlobs({ blobs, dataDirectory }: ResolvedSettings): Promise<Finding> {
  if (blobs.kind === 'file' && !(await exists(dataDirectory))) {
    const detail = `${dataDirectory} is not there yet: a worker makes it`;
    return { check: CHECK, verdict: 'skipped', detail };
  }
  const conversation = `perdure-doctor-${randomUUID()}`;
  try {
    const bytes = randomBytes(64);
    const digest = await blobs.put(conversation, bytes);
    const read = await blobs.get(conversation, digest);
    if (!bytes.equals(read)) throw new Error('it gave back other bytes than it was given');
    return { check: CHECK, verdict: 'ok', detail: `kind "${blobs.kind}", can be written and read` };
  } catch (error) {
    return {
      check: CHECK,
      verdict: 'bad',
      detail: `kind "${blobs.kind}": ${oneLine(error)}`,
      mend: 'see PERDURE_BLOBS and PERDURE_DATA_DIR: workers and clients need the same store',
    };
  } finally {
    await blobs.deleteConversation(conversation).catch(() => {});
  }
}

async function exists(folder: string): Promise<boolean> {
  return access(folder, constants.R_OK).then(
    () => true,
    () => false,
  );
}
