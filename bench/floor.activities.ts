import { activityInfo } from '@temporalio/activity';

const reached = new Map<string, number>();

/** Call/result pairs that a loop has made. */
export function reachedSteps(workflowId: string): number {
  return reached.get(workflowId) ?? 0;
}

/** The same work as our agent's: a completion that asks for one call, and a tool that returns bytes. */
export const floorActivities = {
  complete: async (step: number) => turn(step),
  completeByValue: async (step: number, _messages: readonly unknown[]) => turn(step),
  callTool: async (input: { readonly n: number }, bytes: number) => {
    reached.set(activityInfo().workflowExecution?.workflowId ?? '', input.n + 1);
    return `${input.n} ${'x'.repeat(bytes)}`;
  },
};

export type FloorActivities = typeof floorActivities;

function turn(step: number) {
  return { text: `Step ${step}.`, tool: 'work', input: { n: step } };
}
