import { randomUUID } from 'node:crypto';
import { link, readFile, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { exists, hasCode, syncDirectory, writeDurably } from './durable-file.ts';

const STORE_ID = '.store-id';

/** The first process to link its own id into place decides; all others read it. */
export async function readOrMakeStoreId(root: string, temporary: string): Promise<string> {
  const path = join(root, STORE_ID);
  if (!(await exists(path))) {
    await writeDurably(temporary, Buffer.from(randomUUID()));
    try {
      await link(temporary, path);
      await syncDirectory(root);
    } catch (error) {
      if (!hasCode(error, 'EEXIST')) throw error;
    } finally {
      await unlink(temporary);
    }
  }
  const id = (await readFile(path, 'utf8')).trim();
  if (id === '') {
    throw new Error(`expected the blob store's id in ${path}, but the file is empty: restore it`);
  }
  return id;
}
