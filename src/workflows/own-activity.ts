import { ApplicationFailure, CancelledFailure, sleep } from '@temporalio/workflow';
import { activityIds } from '../core/names.ts';
import { describeFailure } from './describe-failure.ts';
import type { Memory } from './memory.ts';
import { schedule } from './schedule.ts';
import { waitBeforeTry } from './wait-before-try.ts';

const LONGEST_WAIT_MS = 30_000;

export interface OwnActivity {
  readonly type: string;
  readonly activityId: string;
  readonly input: unknown;
  readonly summary: string;
}

/**
 * Runs one of our own activities that has no effect outside (spec, blob, segment, validate) until
 * it has answered: a lost attempt is repeated, an agent that this worker does not know is waited
 * for as long as a deploy may take, a store that cannot be reached for as long as it takes.
 * @throws ApplicationFailure that the activity itself reported as final.
 */
export async function ownActivity<Output>(memory: Memory, activity: OwnActivity): Promise<Output> {
  const status = memory.status;
  let unknownForMs = 0;
  for (let n = 1; ; n++) {
    try {
      const output = await schedule<Output>(memory, {
        ...activity,
        activityId: activityIds.rerun(activity.activityId, n),
        onCancel: 'try',
      });
      if (memory.status !== status) memory.show(status);
      return output;
    } catch (error) {
      const failure = describeFailure(error);
      const waitMs = waitBeforeTry(n, LONGEST_WAIT_MS);
      switch (failure.kind) {
        case 'cancelled':
          throw new CancelledFailure('cancelled');
        case 'lost':
        case 'start_to_close':
        case 'no_worker':
        case 'second_start':
          break;
        case 'not_known_here':
          if (unknownForMs >= failure.patienceMs) {
            throw ApplicationFailure.nonRetryable(failure.message, 'UnknownAgent');
          }
          unknownForMs += waitMs;
          memory.show('waiting_worker', { for: failure.message, untilMs: Date.now() + waitMs });
          await sleep(waitMs, { summary: 'waiting for a worker that knows it' });
          break;
        case 'transient':
        case 'store_unavailable':
          memory.show('waiting_worker', { for: failure.message, untilMs: Date.now() + waitMs });
          await sleep(waitMs, { summary: 'waiting to try again' });
          break;
        case 'model':
        case 'failed':
          throw ApplicationFailure.nonRetryable(failure.message, failure.type);
      }
    }
  }
}
