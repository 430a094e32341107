import type {
  ActivateInput,
  ConcludeActivationInput,
  WorkflowInterceptors,
} from '@temporalio/workflow';
import { RAN_AHEAD } from '../core/ran-ahead.ts';

type Activation = ActivateInput['activation'];
type Job = NonNullable<Activation['jobs']>[number];

/** What this instance did last that no history had recorded before. */
interface LiveTask {
  /** Events of the history that it was done on. */
  readonly events: number;
  /** Events that its commands make, at least. */
  readonly commandEvents: number;
}

/** `WorkflowTaskCompleted`, and `WorkflowTaskScheduled` and `WorkflowTaskStarted` of the next one. */
const EVENTS_OF_A_TASK = 3;

/**
 * Gives up an instance of a workflow that ran ahead of its history: the server then hands the task
 * out again, and it is replayed from what is recorded.
 *
 * A query may reach a worker with a history whose last workflow task is open. The SDK then applies
 * that task's events to answer, and keeps the instance. When the task is lost, or more arrives
 * before it starts, the next task does in two parts what every later replay does in one, and the
 * conversation would be stuck (docs/decisions/queries-that-run-ahead.md).
 *
 * It shows in the count: a task that was recorded is followed by its own events.
 */
export function interceptors(): WorkflowInterceptors {
  let last: LiveTask | undefined;
  let current: { readonly events: number; readonly onlyUpdates: boolean } | undefined;
  return {
    internals: [
      {
        activate({ activation, batchIndex }, next) {
          current = liveTask(activation);
          if (current !== undefined && last !== undefined && current.events !== last.events) {
            const recorded = last.events + last.commandEvents + EVENTS_OF_A_TASK;
            if (current.events < recorded + eventsOf(activation.jobs ?? [])) {
              throw new Error(RAN_AHEAD);
            }
          }
          next({ activation, batchIndex });
        },
        concludeActivation(input, next) {
          const output = next(input);
          if (current !== undefined) {
            const commandEvents = eventsOfCommands(output.commands);
            // The server forgets a task whose updates were all refused.
            if (commandEvents > 0 || !current.onlyUpdates) {
              const before = last?.events === current.events ? last.commandEvents : 0;
              last = { events: current.events, commandEvents: before + commandEvents };
            }
            current = undefined;
          }
          return output;
        },
      },
    ],
  };
}

function liveTask({ isReplaying, jobs, historyLength }: Activation) {
  if (isReplaying || !jobs || jobs.some(({ queryWorkflow }) => queryWorkflow)) return undefined;
  return {
    events: historyLength ?? 0,
    onlyUpdates: jobs.every(({ doUpdate }) => doUpdate),
  };
}

/** Events that brought these jobs, at least. */
function eventsOf(jobs: readonly Job[]): number {
  return jobs.reduce((sum, job) => sum + eventsOfJob(job), 0);
}

function eventsOfJob({ signalWorkflow, fireTimer, cancelWorkflow, resolveActivity }: Job): number {
  if (signalWorkflow || fireTimer || cancelWorkflow) return 1;
  const result = resolveActivity?.result;
  if (!result) return 0;
  // The start of an attempt is recorded with its end; one that nobody took has no start.
  return result.completed || result.failed?.failure?.applicationFailureInfo ? 2 : 1;
}

/** Only of commands that none beside them can take back, as a cancellation does with a timer. */
function eventsOfCommands(commands: ConcludeActivationInput['commands']): number {
  const cancelled = new Set(commands.map((command) => command.requestCancelActivity?.seq));
  return commands.filter(
    ({ upsertWorkflowSearchAttributes, scheduleActivity, updateResponse }) =>
      upsertWorkflowSearchAttributes ||
      (scheduleActivity && !cancelled.has(scheduleActivity.seq)) ||
      (updateResponse && !updateResponse.rejected),
  ).length;
}
