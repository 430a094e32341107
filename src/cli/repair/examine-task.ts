import type { Client } from '@temporalio/client';
import type { ConversationRecord } from '../../client/index.ts';
import { findStuckTask, type StuckTask } from '../../client/stuck-task.ts';
import type { Replayed } from '../../worker/find-reset-point.ts';
import { repeatedWork, type RepeatedWork } from './repeated-work.ts';

/** A stuck conversation, and how it gets on. */
export interface Stuck {
  readonly task: StuckTask;
  readonly replayed: Replayed;
  /** Of a reset, where one helps. */
  readonly again?: RepeatedWork;
}

/** Looks for a workflow task that keeps failing, and for where the conversation could go on. */
export async function examineTask(
  temporal: Client,
  record: ConversationRecord,
): Promise<Stuck | undefined> {
  if (record.status !== 'RUNNING') return undefined;
  const task = await findStuckTask(temporal, record.workflowId);
  if (task === undefined) return undefined;
  // Loaded only here: it brings Temporal's native library and the bundler.
  const [{ findResetPoint }, { installLogger }] = await Promise.all([
    import('../../worker/find-reset-point.ts'),
    import('../../worker/install-logger.ts'),
  ]);
  installLogger('error');
  const replayed = await findResetPoint(record.workflowId, task.history);
  if (replayed.replays || replayed.resetTo === undefined) return { task, replayed };
  return { task, replayed, again: repeatedWork(task, replayed.resetTo, record) };
}
