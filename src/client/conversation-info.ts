import type { WorkflowExecutionInfo, WorkflowExecutionStatusName } from '@temporalio/client';
import { SEARCH_ATTRIBUTES } from '../core/names.ts';
import type { Status } from '../core/status.ts';

export type ConversationLife =
  'running' | 'completed' | 'failed' | 'cancelled' | 'terminated' | 'timed_out';

/** A line of a list. It comes from the server's index, which may be a moment behind. */
export interface ConversationInfo {
  readonly id: string;
  readonly agent: string;
  readonly life: ConversationLife;
  /** Of a running conversation, where the namespace has our search attributes. */
  readonly status?: Status;
  /** Approvals that wait. */
  readonly pending?: number;
  readonly tenant?: string;
  readonly tags?: readonly string[];
  /** Why its workflow task keeps failing, in the server's words; absent when it does not. */
  readonly problems?: readonly string[];
  /** The newest run's. */
  readonly startedAt: Date;
  readonly closedAt?: Date;
  readonly runId: string;
}

/** Set by the server while a workflow task keeps failing. */
export const PROBLEMS_ATTRIBUTE = 'TemporalReportedProblems';

/** How the server's list filter names a life. */
export const LIFE_IN_QUERIES: Record<ConversationLife, string> = {
  running: 'Running',
  completed: 'Completed',
  failed: 'Failed',
  cancelled: 'Canceled',
  terminated: 'Terminated',
  timed_out: 'TimedOut',
};

const LIVES: Partial<Record<WorkflowExecutionStatusName, ConversationLife>> = {
  RUNNING: 'running',
  PAUSED: 'running',
  COMPLETED: 'completed',
  FAILED: 'failed',
  CANCELLED: 'cancelled',
  TERMINATED: 'terminated',
  TIMED_OUT: 'timed_out',
};

/** A workflow execution as a conversation; `undefined` for a run that another one continues. */
export function conversationInfo(execution: WorkflowExecutionInfo): ConversationInfo | undefined {
  const life = LIVES[execution.status.name];
  if (life === undefined) return undefined;
  const attributes: { readonly [name: string]: readonly unknown[] | undefined } =
    execution.searchAttributes;
  const status = attributes[SEARCH_ATTRIBUTES.status]?.[0];
  const pending = attributes[SEARCH_ATTRIBUTES.pending]?.[0];
  const tenant = attributes[SEARCH_ATTRIBUTES.tenant]?.[0];
  const tags = texts(attributes[SEARCH_ATTRIBUTES.tags]);
  const problems = texts(attributes[PROBLEMS_ATTRIBUTE]);
  return {
    id: execution.workflowId,
    agent: execution.type,
    life,
    ...(life === 'running' && typeof status === 'string' ? { status: status as Status } : {}),
    ...(life === 'running' && typeof pending === 'number' ? { pending } : {}),
    ...(typeof tenant === 'string' ? { tenant } : {}),
    ...(tags.length === 0 ? {} : { tags }),
    ...(problems.length === 0 ? {} : { problems }),
    startedAt: execution.startTime,
    ...(execution.closeTime === undefined ? {} : { closedAt: execution.closeTime }),
    runId: execution.runId,
  };
}

function texts(values: readonly unknown[] | undefined): readonly string[] {
  return (values ?? []).filter((value): value is string => typeof value === 'string');
}
