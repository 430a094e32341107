import type { PlannedCall } from '../../core/call.ts';
import type { Content } from '../../core/content.ts';
import { textOf } from '../../core/content.ts';
import type { Json } from '../../core/json.ts';
import type { Outcome } from '../../core/outcome.ts';
import { isBlobReference, previewOf, type Stored } from '../../core/stored.ts';
import { dim, tinted } from '../print.ts';

const INPUT_CHARACTERS = 120;
const RESULT_CHARACTERS = 160;

/** `refund 12.00 for A-1  refund({"order":"A-1","cents":1200})` */
export function callWords({ tool, summary, input }: PlannedCall): string {
  return `${summary === '' ? tool : summary}  ${dim(`${tool}(${jsonWords(input)})`)}`;
}

export function jsonWords(value: Stored<Json>, characters: number = INPUT_CHARACTERS): string {
  if (isBlobReference(value))
    return `${previewOf(value.preview, characters)} [${value.size} bytes]`;
  return previewOf(JSON.stringify(value), characters);
}

export function contentWords(
  content: Stored<Content>,
  characters: number = RESULT_CHARACTERS,
): string {
  if (isBlobReference(content)) {
    return `${previewOf(content.preview, characters)} [${content.size} bytes]`;
  }
  return previewOf(textOf(content), characters);
}

/** The outcome in its colour, and what is known of the effect where that is not plain. */
export function outcomeWords({ outcome, effect }: Pick<Outcome, 'outcome' | 'effect'>): string {
  if (outcome === 'ok') return tinted('ok', 'ok');
  const known = effect === 'none' ? '' : ` (effect: ${effect})`;
  return tinted(effect === 'unknown' ? 'bad' : 'waiting', `${outcome}${known}`);
}

export function msWords(ms: number): string {
  return ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(1)} s`;
}
