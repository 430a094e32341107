import { proxyActivities } from '@temporalio/workflow';
import type { LoopActivities } from './loops.activities.ts';

const { complete, callTool, completeByReference, callToolByReference, completeByValue } =
  proxyActivities<LoopActivities>({
    startToCloseTimeout: '1 minute',
    heartbeatTimeout: '1 minute',
    retry: { maximumAttempts: 1 },
  });

/**
 * What somebody writes by hand who keeps the messages outside: the activities read and append them.
 * As every loop here it makes two activities a step, and a last completion that answers.
 */
export async function byReference(steps: number, bytes: number): Promise<string> {
  for (let step = 0; step < steps; step++) {
    const { input } = await completeByReference(step);
    await callToolByReference(input, bytes);
  }
  return (await completeByReference(steps)).text;
}

/** What most people write: the whole message list is an argument of every model call. */
export async function byValue(steps: number, bytes: number): Promise<string> {
  const messages: unknown[] = [{ role: 'user', content: 'go' }];
  for (let step = 0; step < steps; step++) {
    const turn = await completeByValue(step, messages);
    messages.push(turn);
    messages.push({ role: 'tool', content: await callTool(turn.input, bytes) });
  }
  return (await completeByValue(steps, messages)).text;
}

/** What no agent can be: it has no messages at all. Nothing on Temporal makes such steps in less. */
export async function withoutMessages(steps: number, bytes: number): Promise<string> {
  for (let step = 0; step < steps; step++) {
    const { input } = await complete(step);
    await callTool(input, bytes);
  }
  return (await complete(steps)).text;
}
