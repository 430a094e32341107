import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import type { ConversationRecord, PerdureClient } from '../../client/index.ts';

/** Writes the histories of a conversation's runs as JSON, which Temporal's replayer and UI read. */
export async function keepHistory(
  client: PerdureClient,
  { workflowId, runs }: ConversationRecord,
  directory: string,
): Promise<void> {
  await mkdir(directory, { recursive: true });
  for (const [n, run] of runs.entries()) {
    const history = await client.temporal.workflow.getHandle(workflowId, run).fetchHistory();
    await writeFile(join(directory, `${workflowId}-${n + 1}.json`), historyToJSON(history));
  }
}
