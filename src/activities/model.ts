import { Context } from '@temporalio/activity';
import type { ModelInput, ModelOutput } from '../core/activity-shapes.ts';
import type { StreamEvent } from '../core/event.ts';
import { hasParts } from '../core/request-linter/map-parts.ts';
import type { Usage } from '../core/usage.ts';
import { type CompletionEvent, type Model, ModelFailure } from '../models/model.ts';
import { assembleRequest, shownFrom } from './assemble-request.ts';
import { modelOf } from './code-of-spec.ts';
import { completeAnswer } from './complete-answer.ts';
import type { ActivityEnvironment } from './environment.ts';
import { toFailure } from './model-failure.ts';
import { planCalls } from './plan-calls.ts';
import { reading } from './reading.ts';
import { recordTurn } from './record-turn.ts';
import { runLocation } from './run-location.ts';

/** The server takes 2 MiB per payload. */
const MAX_OUTPUT_BYTES = 1_900_000;

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
    const attempt: { model?: Model; usage?: Usage; hasParts?: boolean } = {};
    try {
      const place = placeOf(context.info.activityId);
      const { transcripts } = environment;
      const read = <T>(use: () => Promise<T>) => reading(environment, location, use);
      const spec = await read(() => transcripts.spec(location, input.spec));
      const { agent, model } = modelOf(environment, spec, input.modelIndex);
      attempt.model = model;
      const { view } = input;
      const at = { ...input, ...shownFrom(view) };
      const transcript = await read(() => transcripts.read(location, at));
      const { models } = agent;
      const request = await read(() =>
        assembleRequest(transcripts, location, { spec, transcript, view, model, models, input }),
      );
      attempt.hasParts = hasParts(request.messages);
      const publish = (event: StreamEvent) =>
        environment.events.publish(location.workflowId, [event]);
      publish({ type: 'reset', ...place, attempt: input.attempt });
      const answer = await completeAnswer(model, request, {
        signal: context.cancellationSignal,
        onEvent: (event) => publishPiece(publish, place, event),
      });
      attempt.usage = answer.usage;
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
      const recorded = await recordTurn(environment, {
        location,
        place,
        transcript,
        answer,
        model,
      });
      return recordable({ ...recorded, plan });
    } catch (error) {
      throw toFailure(error, context, { ...attempt, ranMs: Date.now() - startedMs });
    }
  };
}

/** A turn that fits no payload would leave the run stuck: better it fails by name. */
function recordable(output: ModelOutput): ModelOutput {
  const bytes = Buffer.byteLength(JSON.stringify(output));
  if (bytes <= MAX_OUTPUT_BYTES) return output;
  const { length } = output.plan;
  const message = `the turn with its ${length} calls takes ${bytes} bytes to record, and may take ${MAX_OUTPUT_BYTES}`;
  throw new ModelFailure('too_large', message);
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
