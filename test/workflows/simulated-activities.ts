import {
  ActivityFailure,
  ApplicationFailure,
  CancelledFailure,
  TimeoutFailure,
  type ActivityOptions,
} from '@temporalio/workflow';
import type { CallInput, CallOutput } from '../../src/core/activity-shapes.ts';

/** How one attempt ends: with a result, or with what the server tells of its failure. */
export type Ending = unknown;

/** What a workflow did about one call, where activities end as they are told to. */
export class SimulatedActivities {
  readonly scheduled: {
    type: string;
    input: CallInput;
    options: ActivityOptions & { activityId?: string };
  }[] = [];
  readonly slept: number[] = [];
  endings: readonly Ending[] = [];
  /** False in a run that began before the patches were. */
  isPatched = true;
  /** Ends every wait as a stop of the turn does. */
  stopsWaits = false;

  readonly schedule = (
    type: string,
    [input]: unknown[],
    options: ActivityOptions,
  ): Promise<unknown> => {
    const ending = this.endings[this.scheduled.length];
    this.scheduled.push({ type, input: input as CallInput, options });
    if (ending === undefined) throw new Error(`an attempt too many: ${type}`);
    if (ending instanceof Error) {
      return Promise.reject(
        new ActivityFailure(
          'failed',
          type,
          options.activityId,
          'MAXIMUM_ATTEMPTS_REACHED',
          'w',
          ending,
        ),
      );
    }
    return Promise.resolve(ending);
  };

  readonly sleep = (ms: number): Promise<void> => {
    this.slept.push(ms);
    return this.stopsWaits ? Promise.reject(new CancelledFailure('stopped')) : Promise.resolve();
  };

  get ids(): readonly (string | undefined)[] {
    return this.scheduled.map(({ options }) => options.activityId);
  }
}

export const failed = (type: string, details?: unknown): Error =>
  ApplicationFailure.create({
    type,
    message: `it is ${type}`,
    nonRetryable: true,
    ...(details === undefined ? {} : { details: [details] }),
  });

export const timedOut = (type: ConstructorParameters<typeof TimeoutFailure>[2]): Error =>
  new TimeoutFailure('time', undefined, type);

export const cancelled = (): Error => new CancelledFailure('cancelled');

export const done: CallOutput = {
  outcome: 'ok',
  effect: 'happened',
  content: 'done',
  digest: 'digest',
  size: 4,
  tokens: 2,
};
