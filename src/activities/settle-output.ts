import type { Context } from '@temporalio/activity';
import type { CallInput, CallOutput } from '../core/activity-shapes.ts';
import { cleanText } from '../core/clean-text.ts';
import { partsOf, textOf, type Content } from '../core/content.ts';
import type { Effect } from '../core/effect.ts';
import { resultEntryOf } from '../core/result-entry.ts';
import { estimatedTokens } from '../core/estimated-tokens.ts';
import { shownError, shownOutput, type ShownSettings } from '../core/shown-result.ts';
import { previewOf } from '../core/stored.ts';
import type { ActivityEnvironment } from './environment.ts';
import { recordContent } from './record-content.ts';
import type { Settlement } from './settle-ending.ts';
import { runLocation } from './run-location.ts';
import { measured } from './transcript/measured.ts';

/** What decides how a tool's result is shown, and to whom. */
export type ShownTool = {
  readonly effect: Effect;
  readonly maxResultChars: number;
  /** False when the server gave the attempt up: nobody is told of its result. */
  readonly isAwaited?: boolean;
};

/**
 * Turns a settlement into what history records: large content goes to the blob store, what the model
 * is shown is cut and marked, the entry is digested and given to this worker's transcript cache.
 * Never fails the call: what the store does not take is said to be lost.
 */
export async function settleOutput(
  environment: ActivityEnvironment,
  context: Context,
  call: Pick<CallInput, 'key' | 'callId' | 'tool' | 'edited'>,
  settlement: Settlement,
  tool: ShownTool,
): Promise<CallOutput> {
  const location = runLocation(context.info);
  const settings: ShownSettings = {
    maxResultChars: tool.maxResultChars,
    effect: tool.effect,
    edited: call.edited !== undefined,
  };
  const shown =
    settlement.outcome === 'ok'
      ? shownOutput(settlement.content, settings)
      : shownError({ ...settlement, message: cleanText(settlement.message) }, settings);
  const recorded = await recordContent(shown, {
    blobs: environment.blobs,
    conversationId: location.workflowId,
    inlineLimitBytes: environment.inlineLimitBytes,
    original: settlement.outcome === 'ok' ? settlement.original : undefined,
    log: context.log,
  });
  const { outcome, effect } = settlement;
  const entry = resultEntryOf(call, { outcome, effect, ...recorded });
  const { digest } = measured(entry);
  if (tool.isAwaited !== false) {
    environment.transcripts.remember(location, context.info.activityId, entry, digest);
    publishResult(environment, call, outcome, shown.shownAs ?? shown.content, location.workflowId);
  }
  const patch = settlement.outcome === 'ok' ? settlement.patch : undefined;
  return {
    outcome,
    effect,
    ...recorded,
    digest,
    size: sizeOf(shown.content),
    tokens: estimatedTokens(shown.shownAs ?? shown.content),
    ...(patch === undefined ? {} : { patch }),
    worker: environment.identity,
  };
}

function publishResult(
  environment: ActivityEnvironment,
  { key, tool }: Pick<CallInput, 'key' | 'tool'>,
  outcome: string,
  shown: Content,
  conversationId: string,
): void {
  const preview = previewOf(textOf(shown));
  environment.events.publish(conversationId, [{ type: 'result', key, tool, outcome, preview }]);
}

/** Bytes of all text and of the data of other parts. */
function sizeOf(content: Content): number {
  return partsOf(content).reduce(
    (sum, part) => sum + Buffer.byteLength(part.type === 'text' ? part.text : (part.data ?? '')),
    0,
  );
}
