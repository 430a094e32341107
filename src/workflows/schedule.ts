import { ActivityCancellationType, scheduleActivity } from '@temporalio/workflow';
import { previewOf } from '../core/stored.ts';
import type { Memory } from './memory.ts';

/** The server cuts a summary at 400 bytes; this many characters fit whatever they are. */
const SUMMARY_CHARACTERS = 130;
/** Longer than a task of ours can take; the runtime's own timers and heartbeats end attempts earlier. */
const OWN_ACTIVITY_MS = 10 * 60_000;
const DEFAULT_HEARTBEAT_MS = 60_000;

/** What the runtime gets on top of a tool's own time before the server calls the attempt lost. */
export const RUNTIME_RESERVE_MS = 30_000;

/** How long a tool with a task queue of its own waits for a worker that polls it. */
export const OWN_QUEUE_PATIENCE_MS = 5 * 60_000;

export interface Scheduled {
  readonly type: string;
  readonly activityId: string;
  readonly input: unknown;
  readonly summary: string;
  readonly taskQueue?: string | undefined;
  readonly startToCloseMs?: number;
  readonly scheduleToStartMs?: number;
  /** `none`: another service completes it, and no heartbeat comes. */
  readonly heartbeat?: 'none';
  /** `try`: the workflow goes on at once when the turn is stopped; `wait`: it wants the settled result. */
  readonly onCancel: 'try' | 'wait';
}

/**
 * One attempt of an activity. The server never repeats it: the workflow owns every retry. Every layer
 * of promises costs each step of every conversation: the SDK records a stack for each promise.
 */
export function schedule<Output>(memory: Memory, activity: Scheduled): Promise<Output> {
  return scheduleActivity<Output>(activity.type, [activity.input], {
    activityId: activity.activityId,
    summary: previewOf(activity.summary, SUMMARY_CHARACTERS),
    startToCloseTimeout: activity.startToCloseMs ?? OWN_ACTIVITY_MS,
    retry: { maximumAttempts: 1 },
    cancellationType:
      activity.onCancel === 'try'
        ? ActivityCancellationType.TRY_CANCEL
        : ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
    ...(activity.heartbeat === 'none' ? {} : { heartbeatTimeout: heartbeatTimeoutMs(memory) }),
    ...(activity.taskQueue === undefined ? {} : { taskQueue: activity.taskQueue }),
    ...(activity.scheduleToStartMs === undefined
      ? {}
      : { scheduleToStartTimeout: activity.scheduleToStartMs }),
  });
}

function heartbeatTimeoutMs(memory: Memory): number {
  return memory.state.spec.settings?.heartbeatTimeoutMs ?? DEFAULT_HEARTBEAT_MS;
}
