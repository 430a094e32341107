import { ApplicationFailure, Context } from '@temporalio/activity';
import { storeValue } from '../blobs/stored-value.ts';
import type { CompactInput, CompactOutput } from '../core/activity-shapes.ts';
import { planCompaction, shortenBefore, withSummary } from '../core/compaction.ts';
import type { View } from '../core/entry.ts';
import { estimatedTokens } from '../core/estimated-tokens.ts';
import type { ModelRequest } from '../core/model-request.ts';
import { saidInTurn } from '../core/said-in-turn.ts';
import type { Spec } from '../core/spec.ts';
import { NO_USAGE } from '../core/usage.ts';
import type { Model } from '../models/model.ts';
import type { Agent } from '../tools/agent.ts';
import { assembleRequest, shownFrom } from './assemble-request.ts';
import { modelOf } from './code-of-spec.ts';
import { askStrategy } from './compaction/ask-strategy.ts';
import { type Summary, summarize } from './compaction/summarize.ts';
import type { ActivityEnvironment } from './environment.ts';
import { toFailure } from './model-failure.ts';
import { reading } from './reading.ts';
import { runLocation } from './run-location.ts';
import type { RunLocation, Transcript } from './transcript/transcript-reader.ts';

/** A summary above this goes to the blob store: every later completion's input carries it. */
const SUMMARY_INLINE_BYTES = 1_024;

interface Subject {
  readonly environment: ActivityEnvironment;
  readonly location: RunLocation;
  readonly input: CompactInput;
  readonly spec: Spec;
  readonly agent: Agent<never>;
  readonly model: Model;
  readonly transcript: Transcript;
  readonly signal: AbortSignal;
  readonly place: { readonly turn: number; readonly step: number };
}

/**
 * `perdure.compact`: decides what of the transcript is shown less of, and makes a summary where
 * cutting old results is not enough. A summary that fails falls back to cutting. The transcript
 * itself stays as it is.
 *
 * Fails with `CannotCompact` when nothing can be shown less of, `NotKnownHere`, `StoreUnavailable`.
 */
export function createCompactActivity(
  environment: ActivityEnvironment,
): (input: CompactInput) => Promise<CompactOutput> {
  return async (input) => {
    const context = Context.current();
    const location = runLocation(context.info);
    const { transcripts } = environment;
    try {
      const spec = await reading(environment, location, () =>
        transcripts.spec(location, input.spec),
      );
      return await compacted({
        environment,
        location,
        input,
        spec,
        ...modelOf(environment, spec, input.modelIndex),
        transcript: await reading(environment, location, () =>
          transcripts.read(location, { ...input, ...shownFrom(input.view) }),
        ),
        signal: context.cancellationSignal,
        place: placeOf(context),
      });
    } catch (error) {
      throw toFailure(error, context, { ranMs: 0 });
    }
  };
}

async function compacted(subject: Subject): Promise<CompactOutput> {
  const { input, agent, model, transcript, signal } = subject;
  const { reason, budget } = input;
  const request = await requestOf(subject, transcript.entries.length, input.view);
  const counted = await countedTokens(model, request, signal);
  if (reason === 'budget' && counted !== undefined && counted <= (budget ?? 0)) {
    return { usage: NO_USAGE, contextTokens: counted };
  }
  const contextTokens = counted ?? input.contextTokens;
  const plan = planCompaction({
    entries: transcript.entries,
    view: input.view,
    reason,
    budget,
    contextTokens,
    fixedTokens: fixedTokensOf(request),
    keepSteps: agent.compaction.keepSteps,
  });
  const own = await ownStrategy(subject, contextTokens ?? plan.tokens);
  if ('output' in own) return own.output;
  const told = own.problem === undefined ? {} : { problem: own.problem };
  if (plan.kind === 'none') {
    throw ApplicationFailure.nonRetryable(
      'nothing of the transcript can be shown shorter: the last steps alone fill the context',
      'CannotCompact',
    );
  }
  if (plan.kind === 'cut') {
    return { ...told, view: plan.view, usage: NO_USAGE, contextTokens: plan.tokens };
  }
  // What was too long once would be again: then the summary is made of what is cut already.
  const view = reason === 'overflow' ? plan.view : input.view;
  const summarizer = agent.compaction.model ?? model;
  const summary = await summarize(
    summarizer,
    await requestOf(subject, plan.upTo, view, summarizer),
    agent.compaction,
    signal,
  );
  return { ...told, ...(await withRecorded(subject, plan, summary)) };
}

/** What the agent's `onCompact` decided; the problem with it, if it has one that failed. */
async function ownStrategy(
  subject: Subject,
  tokens: number,
): Promise<{ readonly output: CompactOutput } | { readonly problem?: string }> {
  const { agent, input, location, signal, spec, transcript } = subject;
  if (agent.onCompact === undefined) return {};
  const { keepSteps } = agent.compaction;
  const shortening = shortenBefore({ ...transcript, view: input.view }, keepSteps);
  const { messages } = await requestOf(subject, shortening.upTo ?? 0, input.view);
  const strategy = await askStrategy(
    agent.onCompact,
    {
      conversationId: location.workflowId,
      agent: spec.agent,
      reason: input.reason,
      ...(input.budget === undefined ? {} : { budget: input.budget }),
      tokens,
      keepSteps,
      messages,
      context: spec.context,
    },
    signal,
  );
  if ('problem' in strategy) return strategy;
  const { answer } = strategy;
  if (answer === 'default') return {};
  if (answer === 'cut') return { output: { view: shortening.view, usage: NO_USAGE } };
  const { view, upTo } = shortenBefore(
    { ...transcript, view: input.view },
    answer.keepSteps ?? keepSteps,
  );
  if (upTo === undefined) {
    return {
      problem: 'onCompact: there is nothing before the kept steps that its summary could stand for',
    };
  }
  const summary = { text: answer.summary, usage: NO_USAGE };
  return { output: await withRecorded(subject, { view, upTo }, summary) };
}

async function withRecorded(
  { environment, location, place, transcript, input }: Subject,
  plan: { readonly view: View; readonly upTo: number; readonly tokens?: number },
  summary: Summary,
): Promise<CompactOutput> {
  const { usage, model, cost } = summary;
  const spent = {
    usage,
    ...(model === undefined ? {} : { model }),
    ...(cost === undefined ? {} : { cost }),
  };
  if ('problem' in summary) return { view: plan.view, problem: summary.problem, ...spent };
  const content = await reading(environment, location, () =>
    storeValue(environment.blobs, location.workflowId, summary.text, {
      inlineLimitBytes: SUMMARY_INLINE_BYTES,
    }),
  );
  const { upTo } = plan;
  const said = saidInTurn({ ...transcript, view: input.view }, { upTo, turn: place.turn });
  return {
    view: withSummary(plan, content, said),
    entry: { kind: 'summary', ...place, content, upTo },
    ...spent,
    ...(plan.tokens === undefined ? {} : { contextTokens: plan.tokens }),
  };
}

function requestOf(
  subject: Subject,
  upTo: number,
  view: View | undefined,
  model: Model = subject.model,
): Promise<ModelRequest> {
  const { environment, location, spec, agent, transcript } = subject;
  return reading(environment, location, () =>
    assembleRequest(environment.transcripts, location, {
      spec,
      transcript: { ...transcript, entries: transcript.entries.slice(0, upTo) },
      view,
      model,
      models: agent.models,
      input: { attempt: 1 },
    }),
  );
}

/** The provider's own figure, where it has one and answers. */
async function countedTokens(
  model: Model,
  request: ModelRequest,
  signal: AbortSignal,
): Promise<number | undefined> {
  try {
    return await model.countTokens?.(request, { signal });
  } catch {
    signal.throwIfAborted();
    return undefined;
  }
}

function fixedTokensOf({ system, tools, hostedTools }: ModelRequest): number {
  return estimatedTokens(system) + estimatedTokens(JSON.stringify([tools, hostedTools]));
}

function placeOf(context: Context): Subject['place'] {
  const [turn = '0', step = '0'] = context.info.activityId.split('.');
  return { turn: Number(turn), step: Number(step) };
}
