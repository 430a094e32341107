import { storeValue } from '../blobs/stored-value.ts';
import type { ModelOutput } from '../core/activity-shapes.ts';
import { assistantEntryOf } from '../core/assistant-entry.ts';
import { type Entry, REPAIR_NOTE } from '../core/entry.ts';
import type { Block } from '../core/model-request.ts';
import { previewOf, type Stored } from '../core/stored.ts';
import { totalTokens } from '../core/usage.ts';
import type { Completion, Model } from '../models/model.ts';
import type { Answer } from './complete-answer.ts';
import type { ActivityEnvironment } from './environment.ts';
import { createPatientPut } from './put-patiently.ts';
import { storeFailure } from './store-failure.ts';
import { chainDigest } from './transcript/digest.ts';
import { measured } from './transcript/measured.ts';
import type { RunLocation, Transcript } from './transcript/transcript-reader.ts';

/** What a turn with calls says besides is for eyes; its whole text is in the turn itself. */
const TEXT_BESIDE_CALLS_CHARACTERS = 2_000;
/** Words of the provider's and the linter's own, bounded because they are recorded. */
const MAX_NAME_CHARACTERS = 200;
const MAX_REPAIRS = 30;
const MAX_REPAIR_CHARACTERS = 300;

export interface TurnToRecord {
  readonly location: RunLocation;
  readonly place: { readonly turn: number; readonly step: number };
  /** What the completion was made of. */
  readonly transcript: Transcript;
  readonly answer: Answer;
  readonly model: Model;
}

/**
 * The provider's turn as history records it: inline, or by reference where it is large. A completion
 * is paid for, so a put is tried more than once.
 * @throws {ApplicationFailure} `StoreUnavailable`
 */
export async function recordTurn(
  environment: Pick<ActivityEnvironment, 'blobs' | 'inlineLimitBytes' | 'transcripts'>,
  { location, place, transcript, answer, model }: TurnToRecord,
): Promise<Omit<ModelOutput, 'plan'>> {
  const { completion, usage, output, repairs } = answer;
  const store = patientStore(environment, location.workflowId);
  const text = textOf(completion);
  const turn = await store(completion.raw, text);
  const { format } = completion;
  const answeredBy = completion.model.slice(0, MAX_NAME_CHARACTERS);
  const entry = assistantEntryOf(place.turn, place.step, { turn, format, model: answeredBy });
  const { digest: entryDigest } = measured(entry);
  const transcriptDigest = chainDigest(transcript.digest, entryDigest);
  environment.transcripts.keep(location, {
    beginning: transcript.beginning,
    entries: [...transcript.entries, entry],
    digests: [...transcript.digests, entryDigest],
    digest: transcriptDigest,
  });
  const cost = model.cost?.(usage);
  const hasCalls = completion.blocks.some((block) => block.type === 'tool_call');
  const shown = hasCalls ? previewOf(text, TEXT_BESIDE_CALLS_CHARACTERS) : await store(text, text);
  return {
    turn,
    format,
    entryDigest,
    transcriptDigest,
    count: transcript.entries.length + 1,
    ...(text === '' ? {} : { text: shown }),
    ...(output === undefined ? {} : { output: await store(output, JSON.stringify(output)) }),
    stopReason: completion.stopReason,
    usage,
    ...(cost === undefined ? {} : { cost }),
    ...(completion.requestId === undefined
      ? {}
      : { requestId: completion.requestId.slice(0, MAX_NAME_CHARACTERS) }),
    model: answeredBy,
    contextTokens: totalTokens(completion.usage),
    ...(repairs.length === 0 ? {} : newRepairs(repairs, transcript.entries)),
  };
}

function patientStore(
  { blobs, inlineLimitBytes }: Pick<ActivityEnvironment, 'blobs' | 'inlineLimitBytes'>,
  conversationId: string,
): <T>(value: T, preview: string) => Promise<Stored<T>> {
  let failure: unknown;
  const put = createPatientPut((error) => {
    failure = error;
  });
  return async (value, preview) => {
    const stored = await put(async () => ({
      value: await storeValue(blobs, conversationId, value, { inlineLimitBytes, preview }),
    }));
    if (stored === undefined) throw storeFailure(blobs, 'keeping a completion', failure);
    return stored.value;
  };
}

/** What needs a repair needs it in every request: it is noted once. */
function newRepairs(
  repairs: readonly string[],
  entries: readonly Entry[],
): Pick<ModelOutput, 'repairs'> {
  const noted = new Set(
    entries.map((entry) => (entry.kind === 'note' && entry.code === REPAIR_NOTE ? entry.text : '')),
  );
  const words = repairs
    .map((repair) => previewOf(repair, MAX_REPAIR_CHARACTERS))
    .filter((repair) => !noted.has(repair));
  if (words.length === 0) return {};
  const kept = words.slice(0, MAX_REPAIRS);
  const more = words.length - kept.length;
  return { repairs: more === 0 ? kept : [...kept, `${more} more repairs of this kind`] };
}

function textOf({ blocks }: Completion): string {
  return blocks
    .filter((block): block is Extract<Block, { type: 'text' }> => block.type === 'text')
    .map(({ text }) => text)
    .join('');
}
