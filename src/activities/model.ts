import { Context } from '@temporalio/activity';
import { storeValue } from '../blobs/stored-value.ts';
import type { ModelInput, ModelOutput } from '../core/activity-shapes.ts';
import { assistantEntryOf } from '../core/assistant-entry.ts';
import type { StreamEvent } from '../core/event.ts';
import type { Block } from '../core/model-request.ts';
import { previewOf } from '../core/stored.ts';
import { totalTokens } from '../core/usage.ts';
import type { Completion, CompletionEvent, Model } from '../models/model.ts';
import { assembleRequest } from './assemble-request.ts';
import { modelOf } from './code-of-spec.ts';
import { type Answer, completeAnswer } from './complete-answer.ts';
import type { ActivityEnvironment } from './environment.ts';
import { toFailure } from './model-failure.ts';
import { planCalls } from './plan-calls.ts';
import { runLocation } from './run-location.ts';
import { chainDigest, digestOf } from './transcript/digest.ts';
import type { RunLocation, Transcript } from './transcript/transcript-reader.ts';

/** What a turn with calls says besides is for eyes; its whole text is in the turn itself. */
const TEXT_BESIDE_CALLS_CHARACTERS = 2_000;

/**
 * `perdure.model`: one completion. Brings this worker's transcript up to date, assembles and lints
 * the request, streams the answer, plans every call of it, and records the provider's turn.
 *
 * Fails with the type of the model's failure (`rate_limited`, …), `NotKnownHere`, `WorkerShutdown`;
 * the workflow decides what follows.
 */
export function createModelActivity(
  environment: ActivityEnvironment,
): (input: ModelInput) => Promise<ModelOutput> {
  return async (input) => {
    const context = Context.current();
    const location = runLocation(context.info);
    const startedMs = Date.now();
    try {
      const place = placeOf(context.info.activityId);
      const spec = await environment.transcripts.spec(location, input.spec);
      const { agent, model } = modelOf(environment, spec, input.modelIndex);
      const transcript = await environment.transcripts.read(location, input);
      const request = await assembleRequest(environment.transcripts, location, {
        spec,
        transcript,
        view: input.view,
        models: agent.models,
        input,
      });
      const publish = (event: StreamEvent) =>
        environment.events.publish(location.workflowId, [event]);
      publish({ type: 'reset', ...place, attempt: input.attempt });
      const answer = await completeAnswer(model, request, {
        signal: context.cancellationSignal,
        onEvent: (event) => publishPiece(publish, place, event),
      });
      const plan = await planCalls({
        environment,
        spec,
        agent,
        position: place,
        conversationId: location.workflowId,
        blocks: answer.completion.blocks,
        stopReason: answer.completion.stopReason,
        rules: input.rules,
        state: input.state,
        usage: input.usage,
        ...(input.patienceOver === true ? { patienceOver: true } : {}),
      });
      for (const { index, tool, summary } of plan) {
        publish({ type: 'call', ...place, index, tool, summary });
      }
      const { stopReason, usage } = answer.completion;
      publish({ type: 'completion', ...place, stopReason, usage });
      const recorded = await record(environment, { location, place, transcript, answer, model });
      return { ...recorded, plan };
    } catch (error) {
      throw toFailure(error, context, Date.now() - startedMs);
    }
  };
}

interface Place {
  readonly turn: number;
  readonly step: number;
}

/** The activity's id says which step it completes: `3.2.model`, `3.2.model#2`. */
function placeOf(activityId: string): Place {
  const match = /^(\d+)\.(\d+)\.model(#\d+)?$/.exec(activityId);
  if (match === null) {
    throw new Error(`expected an activity id such as "3.2.model", got "${activityId}"`);
  }
  return { turn: Number(match[1]), step: Number(match[2]) };
}

function publishPiece(
  publish: (event: StreamEvent) => void,
  place: Place,
  event: CompletionEvent,
): void {
  if (event.type !== 'alive') publish({ type: event.type, ...place, text: event.text });
}

interface TurnToRecord {
  readonly location: RunLocation;
  readonly place: Place;
  readonly transcript: Transcript;
  readonly answer: Answer;
  readonly model: Model;
}

async function record(
  { blobs, inlineLimitBytes, transcripts }: ActivityEnvironment,
  { location, place, transcript, answer, model }: TurnToRecord,
): Promise<Omit<ModelOutput, 'plan'>> {
  const { completion, usage, output, repairs } = answer;
  const text = textOf(completion);
  const store = <T>(value: T, preview: string) =>
    storeValue(blobs, location.workflowId, value, { inlineLimitBytes, preview });
  const turn = await store(completion.raw, text);
  const { turn: turnNumber, step } = place;
  const entry = assistantEntryOf(turnNumber, step, {
    turn,
    format: completion.format,
    model: completion.model,
  });
  const entryDigest = digestOf(entry as never);
  const transcriptDigest = chainDigest(transcript.digest, entryDigest);
  transcripts.keep(location, {
    entries: [...transcript.entries, entry],
    digests: [...transcript.digests, entryDigest],
    digest: transcriptDigest,
  });
  const cost = model.cost?.(usage);
  const hasCalls = completion.blocks.some((block) => block.type === 'tool_call');
  return {
    turn,
    format: completion.format,
    entryDigest,
    transcriptDigest,
    count: transcript.entries.length + 1,
    ...(text === ''
      ? {}
      : {
          text: hasCalls ? previewOf(text, TEXT_BESIDE_CALLS_CHARACTERS) : await store(text, text),
        }),
    ...(output === undefined ? {} : { output: await store(output, JSON.stringify(output)) }),
    stopReason: completion.stopReason,
    usage,
    ...(cost === undefined ? {} : { cost }),
    ...(completion.requestId === undefined ? {} : { requestId: completion.requestId }),
    model: completion.model,
    contextTokens: totalTokens(completion.usage),
    ...(repairs.length === 0 ? {} : { repairs }),
  };
}

function textOf({ blocks }: Completion): string {
  return blocks
    .filter((block): block is Extract<Block, { type: 'text' }> => block.type === 'text')
    .map(({ text }) => text)
    .join('');
}
