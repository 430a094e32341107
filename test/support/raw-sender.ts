import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
// Not by name: Node itself finds no names in this package, only Vitest does.
import proto from '@temporalio/proto';
import type { History } from '@temporalio/common/lib/proto-utils.js';
import { RAN_AHEAD } from '../../src/core/ran-ahead.ts';

/** A payload as any program may send it, whatever our converters would make of it. */
export interface RawPayload {
  readonly encoding: string;
  readonly data: Uint8Array;
}

export function rawJson(text: string): RawPayload {
  return { encoding: 'json/plain', data: Buffer.from(text) };
}

/** A message of exactly so many bytes of JSON. */
export function messageOfBytes(bytes: number, more: object = {}): RawPayload {
  const frame = JSON.stringify({ content: '', ...more }).length;
  return rawJson(JSON.stringify({ content: 'x'.repeat(bytes - frame), ...more }));
}

/** What a service sends that has nothing of ours, and not even an SDK. */
export function rawSender({ connection, workflowService }: Client) {
  const payloads = (given: readonly RawPayload[]) => ({
    payloads: given.map(({ encoding, data }) => ({
      metadata: { encoding: Buffer.from(encoding) },
      data,
    })),
  });
  return {
    async signal(workflowId: string, signalName: string, ...given: readonly RawPayload[]) {
      await workflowService.signalWorkflowExecution({
        namespace: 'default',
        workflowExecution: { workflowId },
        signalName,
        input: payloads(given),
        identity: 'raw sender',
        requestId: randomUUID(),
      });
    },
    async start(
      where: { readonly workflowId: string; readonly type: string; readonly taskQueue: string },
      ...given: readonly RawPayload[]
    ) {
      await workflowService.startWorkflowExecution({
        namespace: 'default',
        workflowId: where.workflowId,
        workflowType: { name: where.type },
        taskQueue: { name: where.taskQueue },
        input: payloads(given),
        identity: 'raw sender',
        requestId: randomUUID(),
      });
    },
    /** Starts a workflow of no type of ours, whose one task is to go on as one that is. */
    async continueAs(
      where: { readonly workflowId: string; readonly type: string; readonly taskQueue: string },
      ...given: readonly RawPayload[]
    ) {
      const { workflowId, type, taskQueue } = where;
      const foreign = { workflowId, type: 'foreign', taskQueue: `foreign-${randomUUID()}` };
      await this.start(foreign);
      const { taskToken } = await connection.withDeadline(Date.now() + 60_000, () =>
        workflowService.pollWorkflowTaskQueue({
          namespace: 'default',
          taskQueue: { name: foreign.taskQueue },
          identity: 'raw sender',
        }),
      );
      await workflowService.respondWorkflowTaskCompleted({
        namespace: 'default',
        taskToken,
        identity: 'raw sender',
        commands: [
          {
            commandType:
              proto.temporal.api.enums.v1.CommandType
                .COMMAND_TYPE_CONTINUE_AS_NEW_WORKFLOW_EXECUTION,
            continueAsNewWorkflowExecutionCommandAttributes: {
              workflowType: { name: type },
              taskQueue: { name: taskQueue },
              input: payloads(given),
            },
          },
        ],
      });
    },
  };
}

type Event = NonNullable<History['events']>[number];

/** All events of all runs of a conversation, oldest first. */
export async function eventsOfRuns(client: Client, workflowId: string): Promise<Event[]> {
  let runId: string | undefined = (await client.workflow.getHandle(workflowId).describe()).runId;
  const events: Event[] = [];
  while (runId !== undefined) {
    const history: History = await client.workflow.getHandle(workflowId, runId).fetchHistory();
    events.unshift(...(history.events ?? []));
    const first: Event | undefined = history.events?.[0];
    runId = first?.workflowExecutionStartedEventAttributes?.continuedExecutionRunId || undefined;
  }
  return events;
}

/**
 * The server's own way of letting in what arrives while a task is open: it takes the task back and
 * gives it out again with what arrived (`UNHANDLED_COMMAND`, `UNHANDLED_UPDATE`; `FORCE_CLOSE_COMMAND`
 * when more than 2 MiB arrived). No code failed, nor did it in a worker that ran ahead of the history.
 */
const TAKEN_BACK = new Set<unknown>([1, 31, 17]);

/** Why workflow tasks failed, in words; a run that is stuck has one after another. */
export async function failedTasks(client: Client, workflowId: string): Promise<string[]> {
  const events = await eventsOfRuns(client, workflowId);
  return events.flatMap(({ workflowTaskFailedEventAttributes: failed }) =>
    failed && !TAKEN_BACK.has(failed.cause) && failed.failure?.message !== RAN_AHEAD
      ? [`${failed.cause}: ${failed.failure?.message}`]
      : [],
  );
}
