import { CompleteAsyncError } from '@temporalio/activity';
import { expect, test } from 'vitest';
import { decodeCompletionToken } from '../../../src/core/completion-token.ts';
import type { Operation } from '../../../src/core/state-patch.ts';
import { ToolError, toolOutput } from '../../../src/tools/tool.ts';
import { aborted, buildTool, CONVERSATION, Harness, KEY, STOPPED } from './harness.ts';

const later = { completion: 'later' } as const;

test('a tool that takes its token hands its call out: no result, no entry in the ledger', async () => {
  let token = '';
  const harness = new Harness(
    buildTool((_, ctx) => {
      token = ctx.completionToken ?? '';
      return 'ignored';
    }, later),
  );
  const info = { base64TaskToken: 'dGFzaw==' };
  const input = { earlier: 'unknown' } as const;
  await expect(harness.call(input, harness.activity(info))).rejects.toBeInstanceOf(
    CompleteAsyncError,
  );
  expect(harness.ledger).toEqual(['begin 3.2.1', 'end 3.2.1']);
  expect(harness.remembered).toEqual([]);
  expect(decodeCompletionToken(token)).toEqual({
    taskToken: 'dGFzaw==',
    conversationId: CONVERSATION,
    key: KEY,
    callId: 'call_1',
    tool: 'refund_order',
    effect: 'once',
    maxResultChars: 20_000,
    edited: false,
    earlier: 'unknown',
  });
});

test.each([
  ['a response', () => new Response('queued')],
  ['a function', () => () => 1],
  [
    'a state update that is none',
    () => toolOutput('x', { stateUpdate: 'none' as unknown as readonly Operation[] }),
  ],
])('what such a tool returns beside is ignored, as %s', async (_, value) => {
  const harness = new Harness(
    buildTool((_input, ctx) => {
      void ctx.completionToken;
      return value();
    }, later),
  );
  await expect(harness.call()).rejects.toBeInstanceOf(CompleteAsyncError);
});

test('a tool that was told to stop as it handed its call out has not done it for certain', async () => {
  const harness = new Harness(
    buildTool(async (_, ctx) => {
      void ctx.completionToken;
      await aborted(ctx.signal);
      return 'asked';
    }, later),
  );
  const activity = harness.activity();
  const output = harness.call({}, activity);
  await expect.poll(() => harness.events).toHaveLength(1);
  activity.cancel('CANCELLED', STOPPED);
  expect(await output).toMatchObject({ outcome: 'cancelled', effect: 'unknown' });
});

test('a tool that does not take its token would never be completed: it failed', async () => {
  const harness = new Harness(buildTool(() => 'done', later));
  const output = await harness.call();
  expect(output).toMatchObject({ outcome: 'tool_failed', effect: 'happened' });
  expect(output.content).toContain('did not take ctx.completionToken');
});

test('a tool that fails before it hands its call out is settled', async () => {
  const harness = new Harness(
    buildTool(() => Promise.reject(new ToolError('the printer is off')), later),
  );
  expect(await harness.call()).toMatchObject({ outcome: 'tool_error', effect: 'none' });
});
