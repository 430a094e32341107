import { proxyActivities } from '@temporalio/workflow';
import type { FloorActivities } from './floor.activities.ts';

const { complete, callTool, completeByValue } = proxyActivities<FloorActivities>({
  startToCloseTimeout: '1 minute',
  heartbeatTimeout: '1 minute',
  retry: { maximumAttempts: 1 },
});

/** The floor: what somebody writes by hand who passes no messages, two activities a step. */
export async function byReference(steps: number, bytes: number): Promise<number> {
  for (let step = 0; step < steps; step++) {
    const { input } = await complete(step);
    await callTool(input, bytes);
  }
  return steps;
}

/** What most people write: the whole message list is an argument of every model call. */
export async function byValue(steps: number, bytes: number): Promise<number> {
  const messages: unknown[] = [{ role: 'user', content: 'go' }];
  for (let step = 0; step < steps; step++) {
    const turn = await completeByValue(step, messages);
    messages.push(turn);
    messages.push({ role: 'tool', content: await callTool(turn.input, bytes) });
  }
  return steps;
}
