import { ApplicationFailure, Context } from '@temporalio/activity';
import { storeValue } from '../blobs/stored-value.ts';
import type { CompactInput, CompactOutput } from '../core/activity-shapes.ts';
import { planCompaction, withSummary } from '../core/compaction.ts';
import type { SummaryEntry } from '../core/entry.ts';
import type { ModelRequest } from '../core/model-request.ts';
import { NO_USAGE } from '../core/usage.ts';
import { ModelFailure } from '../models/model.ts';
import { assembleRequest } from './assemble-request.ts';
import { modelOf } from './code-of-spec.ts';
import { completeAnswer } from './complete-answer.ts';
import type { ActivityEnvironment } from './environment.ts';
import { runLocation } from './run-location.ts';

/** A summary above this goes to the blob store: every later completion's input carries it. */
const SUMMARY_INLINE_BYTES = 1_024;
const SUMMARY_TOKENS = 4_000;

const TASK = [
  'Summarise this conversation so far for your own later use: it will stand in place of the messages.',
  'Keep the goal, what was found out, what was decided and by whom, what was done (with identifiers and',
  'amounts, and whether it succeeded), and what is still open. Do not add anything new.',
].join(' ');

/**
 * `perdure.compact`: decides what of the transcript is shown less of, and makes a summary where
 * cutting old results is not enough. A summary that fails falls back to cutting. The transcript
 * itself stays as it is.
 * @throws ApplicationFailure `CannotCompact` when nothing can be shown less of
 */
export function createCompactActivity(
  environment: ActivityEnvironment,
): (input: CompactInput) => Promise<CompactOutput> {
  return async (input) => {
    const context = Context.current();
    const location = runLocation(context.info);
    const { transcripts, blobs } = environment;
    const spec = await transcripts.spec(location, input.spec);
    const { agent, model } = modelOf(environment, spec, input.modelIndex);
    const transcript = await transcripts.read(location, input);
    const plan = planCompaction({
      entries: transcript.entries,
      view: input.view,
      reason: input.reason,
      budget: input.budget,
      contextTokens: input.contextTokens,
    });
    if (plan.kind === 'none') {
      throw ApplicationFailure.nonRetryable(
        'nothing of the transcript can be shown shorter: the last steps alone fill the context',
        'CannotCompact',
      );
    }
    if (plan.kind === 'cut') return { view: plan.view, usage: NO_USAGE };
    const whole = await assembleRequest(transcripts, location, {
      spec,
      transcript: { ...transcript, entries: transcript.entries.slice(0, plan.upTo) },
      view: input.view,
      models: agent.models,
      input: { attempt: 1 },
    });
    try {
      const answer = await completeAnswer(model, summaryRequest(whole), {
        signal: context.cancellationSignal,
        onEvent: () => {},
      });
      const text = answer.completion.blocks
        .map((block) => (block.type === 'text' ? block.text : ''))
        .join('');
      if (text.trim() === '') return { view: plan.view, usage: answer.usage };
      const content = await storeValue(blobs, location.workflowId, text, {
        inlineLimitBytes: SUMMARY_INLINE_BYTES,
      });
      const cost = model.cost?.(answer.usage);
      const entry: SummaryEntry = {
        kind: 'summary',
        ...placeOf(context),
        content,
        upTo: plan.upTo,
      };
      return {
        view: withSummary(plan, content),
        entry,
        usage: answer.usage,
        model: answer.completion.model,
        ...(cost === undefined ? {} : { cost }),
      };
    } catch (error) {
      if (!(error instanceof ModelFailure) || context.cancellationSignal.aborted) throw error;
      return { view: plan.view, usage: error.usage ?? NO_USAGE };
    }
  };
}

/** The conversation's own request and one message more, so that its prefix is read from the cache. */
function summaryRequest(request: ModelRequest): ModelRequest {
  const { output: _, ...rest } = request;
  return {
    ...rest,
    messages: [...request.messages, { role: 'user', content: [{ type: 'text', text: TASK }] }],
    toolChoice: 'none',
    maxOutputTokens: Math.min(request.maxOutputTokens, SUMMARY_TOKENS),
  };
}

function placeOf(context: Context): { readonly turn: number; readonly step: number } {
  const [turn = '0', step = '0'] = context.info.activityId.split('.');
  return { turn: Number(turn), step: Number(step) };
}
