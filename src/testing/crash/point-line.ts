import { Context } from '@temporalio/activity';
import type { FromWorker, Reached, ToWorker } from './messages.ts';

export type AtPoint = Omit<Reached, 'kind' | 'n' | 'conversation' | 'activity'>;

/** A worker process's line to the driver. */
export interface PointLine {
  /** Says where an attempt is, and waits until the driver lets it go on; it may never. */
  reach(at: AtPoint): Promise<void>;
}

export function openPointLine(): PointLine {
  let last = 0;
  const waiting = new Map<number, () => void>();
  process.on('message', (message: ToWorker) => {
    if (message.kind !== 'go') return;
    waiting.get(message.n)?.();
    waiting.delete(message.n);
  });
  return {
    reach(at) {
      const { activityId, workflowExecution } = Context.current().info;
      last += 1;
      const n = last;
      return new Promise((resolve) => {
        waiting.set(n, resolve);
        const conversation = workflowExecution?.workflowId ?? '';
        tellDriver({ kind: 'reached', n, conversation, activity: activityId, ...at });
      });
    },
  };
}

export function tellDriver(message: FromWorker): void {
  if (process.connected) process.send?.(message);
}
