import { activityInfo } from '@temporalio/activity';
import type { MessageFiles } from './message-files.ts';

const reached = new Map<string, number>();

/** Call/result pairs that a loop has made. */
export function reachedSteps(workflowId: string): number {
  return reached.get(workflowId) ?? 0;
}

/** The same work as our agent's: a completion that asks for one call, and a tool that returns bytes. */
export function loopActivities(files: MessageFiles) {
  return {
    async completeByReference(step: number) {
      const id = conversationId();
      const messages = await files.read(id);
      const turn = turnAfter(step, messages);
      await files.append(id, turn);
      return turn;
    },
    async callToolByReference(input: Input, bytes: number): Promise<void> {
      await files.append(conversationId(), { role: 'tool', content: work(input, bytes) });
    },
    completeByValue: async (step: number, messages: readonly unknown[]) =>
      turnAfter(step, messages),
    complete: async (step: number) => turnAfter(step, []),
    callTool: async (input: Input, bytes: number) => work(input, bytes),
  };
}

export type LoopActivities = ReturnType<typeof loopActivities>;

interface Input {
  readonly n: number;
}

function turnAfter(step: number, _messages: readonly unknown[]) {
  return { text: `Step ${step}.`, tool: 'work', input: { n: step } };
}

function work({ n }: Input, bytes: number): string {
  reached.set(conversationId(), n + 1);
  return `${n} ${'x'.repeat(bytes)}`;
}

function conversationId(): string {
  return activityInfo().workflowExecution?.workflowId ?? '';
}
