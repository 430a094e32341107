import type { ModelInput } from '../core/activity-shapes.ts';
import type { AssistantEntry, Entry, View } from '../core/entry.ts';
import type { Block, ModelRequest, RequestMessage } from '../core/model-request.ts';
import { renderTranscript } from '../core/render-transcript.ts';
import { leftOut, mapParts } from '../core/request-linter/map-parts.ts';
import { isSigned, rewrittenTurn } from '../core/request-linter/rewritten-turn.ts';
import type { Spec } from '../core/spec.ts';
import { isBlobReference } from '../core/stored.ts';
import type { Model } from '../models/model.ts';
import { heldTools } from './planning/held-tools.ts';
import type { RunLocation, Transcript, TranscriptReader } from './transcript/transcript-reader.ts';

export interface RequestParts {
  readonly spec: Spec;
  readonly transcript: Pick<Transcript, 'entries'>;
  readonly view: View | undefined;
  /** The one that is to complete it. */
  readonly model: Model;
  /** All models of the agent: each reads the turns of its own format. */
  readonly models: readonly Model[];
  readonly input: Pick<ModelInput, 'wrapUp' | 'withoutParts' | 'attempt'>;
}

/**
 * The request for the next completion. `system` and `tools` come from the frozen spec, so they are
 * the same bytes on every request of the conversation.
 */
export async function assembleRequest(
  transcripts: Pick<TranscriptReader, 'resolveBlobs'>,
  location: RunLocation,
  { spec, transcript, view, model, models, input }: RequestParts,
): Promise<ModelRequest> {
  const entries = await shownEntries(transcripts, location, transcript.entries, view);
  const messages = renderTranscript(entries, view, (entry) => blocksOf(entry, models));
  // What an agent says in a provider's own words is in those of its first model.
  const isOfFirst = model.format === (models[0] ?? model).format;
  return {
    conversationId: location.workflowId,
    system: spec.instructions,
    // What this conversation may not use is not offered; calls of it all the same are settled.
    tools: heldTools(spec).map(({ name, description, inputSchema }) => ({
      name,
      description,
      inputSchema,
    })),
    hostedTools: isOfFirst ? spec.hostedTools : [],
    messages: input.withoutParts === true ? withoutParts(messages) : messages,
    maxOutputTokens: spec.maxOutputTokens,
    ...(spec.output === undefined ? {} : { output: spec.output }),
    ...(input.wrapUp === true ? { toolChoice: 'none' as const } : {}),
    options: isOfFirst ? spec.modelOptions : {},
    attempt: input.attempt,
  };
}

function withoutParts(messages: readonly RequestMessage[]): readonly RequestMessage[] {
  const why = 'the service refused the request with it';
  const mended = mapParts(messages, (part) => (part.type === 'text' ? part : leftOut(part, why)));
  if (mended === messages) return messages;
  // Signed reasoning is valid after the very messages that it was thought after.
  return mended.map((message) =>
    message.role === 'assistant' && message.blocks.some(isSigned)
      ? rewrittenTurn(message, message.blocks)
      : message,
  );
}

/** What a view hides for good need not be read. */
export function shownFrom(view: View | undefined): { readonly shownFrom?: number } {
  return view?.summary === undefined ? {} : { shownFrom: view.summary.upTo };
}

/** Only what will be shown is fetched: what a summary stands for stays in the store. */
async function shownEntries(
  transcripts: Pick<TranscriptReader, 'resolveBlobs'>,
  location: RunLocation,
  entries: readonly Entry[],
  view: View | undefined,
): Promise<readonly Entry[]> {
  const from = view?.summary?.upTo ?? 0;
  const first = entries.findIndex((entry) => entry.kind === 'user');
  const wanted: number[] = [];
  for (const [n, entry] of entries.entries()) {
    if ((n >= from || n === first) && hasReference(entry)) wanted.push(n);
  }
  if (wanted.length === 0) return entries;
  const resolved = await transcripts.resolveBlobs(
    location,
    wanted.map((n) => entries[n] as Entry),
  );
  const all = [...entries];
  for (const [index, n] of wanted.entries()) all[n] = resolved.entries[index] as Entry;
  return all;
}

function hasReference(entry: Entry): boolean {
  switch (entry.kind) {
    case 'assistant':
      return isBlobReference(entry.raw);
    case 'note':
      return false;
    case 'user':
    case 'result':
    case 'summary': {
      const content = entry.kind === 'result' ? (entry.shownAs ?? entry.content) : entry.content;
      if (typeof content === 'string') return false;
      return isBlobReference(content) || content.some((part) => 'blob' in part);
    }
  }
}

const views = new WeakMap<AssistantEntry, readonly Block[]>();

/** A turn in the neutral view, made once per entry: a long conversation is rendered at every step. */
function blocksOf(entry: AssistantEntry, models: readonly Model[]): readonly Block[] {
  const known = views.get(entry);
  if (known !== undefined) return known;
  if (isBlobReference(entry.raw)) return [];
  const reader = models.find(({ format }) => format === entry.format);
  const blocks = reader?.view(entry.raw) ?? [{ type: 'opaque' as const, value: entry.raw }];
  views.set(entry, blocks);
  return blocks;
}
