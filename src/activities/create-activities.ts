import { Context } from '@temporalio/activity';
import { ACTIVITIES } from '../core/names.ts';
import { createBlobActivity } from './blob.ts';
import { createCallTool } from './call-tool.ts';
import { createCompactActivity } from './compact.ts';
import type { ActivityEnvironment } from './environment.ts';
import { startHeartbeat } from './heartbeat.ts';
import { createKeepActivity } from './keep.ts';
import { createModelActivity } from './model.ts';
import { createReconcile } from './reconcile.ts';
import { beginInLedger } from './ledger/begin-in-ledger.ts';
import type { RunningCalls } from './running-calls.ts';
import { createSegmentActivity } from './segment.ts';
import { createSpecActivity } from './spec.ts';
import { createValidateActivity } from './validate.ts';

type Activity<Input, Output> = (input: Input) => Promise<Output>;

/**
 * All activities of a worker. Ours have names with a dot; whatever else is asked for is a tool, by
 * the default activity, so that the UI's event list reads like the agent's log.
 */
export function createActivities(
  environment: ActivityEnvironment,
  options: { readonly runningCalls?: RunningCalls } = {},
): Record<string, Activity<never, unknown>> {
  const watched = <Input, Output>(activity: Activity<Input, Output>) =>
    watchedActivity(environment, activity);
  return {
    [ACTIVITIES.spec]: watched(createSpecActivity(environment)),
    [ACTIVITIES.model]: watched(createModelActivity(environment)),
    [ACTIVITIES.validate]: watched(createValidateActivity(environment)),
    [ACTIVITIES.blob]: watched(createBlobActivity(environment)),
    [ACTIVITIES.compact]: watched(createCompactActivity(environment)),
    [ACTIVITIES.segment]: watched(createSegmentActivity(environment)),
    [ACTIVITIES.keep]: watched(createKeepActivity(environment)),
    [ACTIVITIES.reconcile]: createReconcile(environment, options),
    default: createCallTool(environment, options),
  };
}

/** Heartbeats, and a place in the ledger: a worker that dies is noticed at once. */
function watchedActivity<Input, Output>(
  { ledger, identity, around }: ActivityEnvironment,
  activity: Activity<Input, Output>,
): Activity<Input, Output> {
  return async (input) => {
    const context = Context.current();
    const stopHeartbeat = startHeartbeat(context, () => ({ worker: identity }));
    const entry = beginInLedger(ledger, context.info);
    try {
      return await (around?.(() => activity(input)) ?? activity(input));
    } finally {
      entry.returned();
      stopHeartbeat();
    }
  };
}
