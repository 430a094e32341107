import type { CallOutput } from './activity-shapes.ts';
import { cleanText } from './clean-text.ts';
import type { CompletionTicket } from './completion-token.ts';
import { partsOf, type Content } from './content.ts';
import { effectAfter, type EffectState } from './effect.ts';
import { estimatedTokens } from './estimated-tokens.ts';
import type { Json } from './json.ts';
import { resultEntryOf } from './result-entry.ts';
import { shownError, shownOutput, type ShownResult } from './shown-result.ts';
import { patchProblem } from './patch-problem.ts';
import { MAX_PATCH_BYTES, type Operation } from './state-patch.ts';
import { INLINE_LIMIT_BYTES, type BlobReference } from './stored.ts';
import { jsonBytes, withoutStore } from './without-store.ts';

/** With what another service completes a call (`completion: 'later'`). */
export type LaterAnswer =
  | {
      readonly output: Json;
      /** Parts for the model in place of the output. */
      readonly content?: Content;
      readonly stateUpdate?: readonly Operation[];
    }
  | {
      readonly error: string;
      /** Default `none`: who reports the error vouches that nothing happened, or says otherwise. */
      readonly effect?: EffectState;
    };

/**
 * The settled outcome of a call that another service completes: the result of the call's activity.
 * @param services.digestOf SHA-256 over the RFC 8785 form of a value
 * @param services.keep puts content that is too large for history into the conversation's blob
 *   store; without it, what is too large is lost, and the result says so
 * @throws {TypeError} for a `stateUpdate` that is no JSON Patch of at most 64 KiB
 */
export async function settleLater(
  ticket: CompletionTicket,
  answer: LaterAnswer,
  services: {
    readonly digestOf: (value: Json) => string;
    readonly keep?: (content: Content) => Promise<BlobReference>;
  },
): Promise<CallOutput> {
  if ('output' in answer) demandPatch(answer.stateUpdate);
  const { outcome, effect, shown } = settle(ticket, answer);
  const recorded = await record(shown, services.keep);
  const entry = resultEntryOf(ticket, { outcome, effect, ...recorded });
  return {
    outcome,
    effect,
    ...recorded,
    digest: services.digestOf(entry as unknown as Json),
    size: jsonBytes(shown.content),
    tokens: estimatedTokens(shown.shownAs ?? shown.content),
    ...('output' in answer && answer.stateUpdate !== undefined
      ? { patch: answer.stateUpdate }
      : {}),
  };
}

function demandPatch(stateUpdate: readonly Operation[] | undefined): void {
  if (stateUpdate === undefined) return;
  const problem =
    patchProblem(stateUpdate) ??
    (jsonBytes(stateUpdate) > MAX_PATCH_BYTES
      ? `it has more than ${MAX_PATCH_BYTES / 1024} KiB`
      : undefined);
  if (problem === undefined) return;
  throw new TypeError(`stateUpdate: expected a JSON Patch (RFC 6902), but ${problem}`);
}

function settle(
  ticket: CompletionTicket,
  answer: LaterAnswer,
): Pick<CallOutput, 'outcome' | 'effect'> & { readonly shown: ShownResult } {
  if ('error' in answer) {
    const effect = effectAfter(ticket.earlier, answer.effect ?? 'none');
    const message = cleanText(answer.error);
    const shown = shownError({ outcome: 'tool_error', effect, message }, ticket);
    return { outcome: 'tool_error', effect, shown };
  }
  const effect = ticket.effect === 'read' ? 'none' : 'happened';
  return { outcome: 'ok', effect, shown: shownOutput(cleanContent(answer), ticket) };
}

function cleanContent(answer: { readonly output: Json; readonly content?: Content }): Content {
  if (answer.content === undefined) {
    const { output } = answer;
    return cleanText(typeof output === 'string' ? output : (JSON.stringify(output) ?? 'null'));
  }
  if (typeof answer.content === 'string') return cleanText(answer.content);
  return partsOf(answer.content).map((part) =>
    part.type === 'text' ? { ...part, text: cleanText(part.text) } : part,
  );
}

async function record(
  { content, shownAs, cut }: ShownResult,
  keep: ((content: Content) => Promise<BlobReference>) | undefined,
): Promise<Pick<CallOutput, 'content' | 'shownAs' | 'original'>> {
  const fits = (value: Content): boolean => jsonBytes(value) <= INLINE_LIMIT_BYTES;
  const shownFits = shownAs === undefined || fits(shownAs);
  if (!cut && fits(content) && shownFits) {
    return shownAs === undefined ? { content } : { content, shownAs };
  }
  if (keep === undefined) {
    const shown = shownAs ?? content;
    return { content: fits(shown) ? shown : withoutStore(shown, INLINE_LIMIT_BYTES) };
  }
  const kept = cut || !fits(content) ? await keep(content) : content;
  const original = cut ? { original: kept as BlobReference } : {};
  if (shownAs === undefined) return { content: kept, ...original };
  return { content: kept, shownAs: shownFits ? shownAs : await keep(shownAs), ...original };
}
