import type { ConversationRecord } from '../../client/index.ts';
import type { StuckTask } from '../../client/stuck-task.ts';
import { ACTIVITIES } from '../../core/names.ts';

/** What a reset does again: work that was scheduled after its point. */
export interface RepeatedWork {
  readonly completions: number;
  readonly calls: readonly {
    readonly key: string;
    readonly tool: string;
    readonly effect: 'read' | 'idempotent' | 'once';
    readonly summary: string;
  }[];
}

export function repeatedWork(
  { runId, history }: StuckTask,
  resetTo: number,
  { calls }: ConversationRecord,
): RepeatedWork {
  const later = (history.events ?? []).flatMap(({ eventId, ...event }) => {
    const scheduled = event.activityTaskScheduledEventAttributes;
    return scheduled && Number(eventId) > resetTo ? [scheduled] : [];
  });
  const ids = new Set(later.map(({ activityId }) => activityId));
  return {
    completions: later.filter(({ activityType }) => activityType?.name === ACTIVITIES.model).length,
    calls: calls
      .filter(({ attempts }) =>
        attempts.some(
          ({ kind, run, activityId }) => kind === 'tool' && run === runId && ids.has(activityId),
        ),
      )
      .map(({ planned: { key, tool, effect, summary } }) => ({ key, tool, effect, summary })),
  };
}
