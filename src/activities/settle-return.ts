import { cleanText } from '../core/clean-text.ts';
import type { Content } from '../core/content.ts';
import type { Json } from '../core/json.ts';
import type { Operation } from '../core/state-patch.ts';
import { isToolOutput } from '../tools/tool.ts';
import { contentOfBytes } from './settle-binary.ts';
import { jsonTextOf } from './settle-json.ts';
import { checkedParts } from './settle-parts.ts';
import { checkedPatch } from './settle-patch.ts';

/** Bytes, or a value of which the JSON is kept. */
export type Original = { readonly bytes: Uint8Array } | { readonly value: Json };

/** What a tool's return comes to. */
export type Returned =
  | {
      readonly kind: 'content';
      readonly content: Content;
      /** What it was before it was made fit for a model, where that is something else. */
      readonly original?: Original;
      readonly patch?: readonly Operation[];
    }
  | {
      readonly kind: 'unusable';
      readonly problem: string;
      /** What of it can be shown all the same. */
      readonly content?: Content;
    };

/** Reads what a tool's `execute` returned: any value, or `toolOutput(...)`. Never throws. */
export function readReturn(value: unknown): Returned {
  if (!isToolOutput(value)) return readValue(value);
  const shown = value.content === undefined ? readValue(value.value) : readParts(value.content);
  if (shown.kind === 'unusable' || value.stateUpdate === undefined) return shown;
  const checked = checkedPatch(value.stateUpdate);
  return 'problem' in checked
    ? { kind: 'unusable', problem: checked.problem, content: shown.content }
    : { ...shown, patch: checked.patch };
}

function readValue(value: unknown): Returned {
  if (typeof value === 'string') {
    const text = cleanText(value);
    return text === value
      ? { kind: 'content', content: value }
      : { kind: 'content', content: text, original: { value } };
  }
  if (value instanceof Uint8Array) {
    const { content, changed } = contentOfBytes(value);
    if (typeof content !== 'string') return { kind: 'content', content };
    const text = cleanText(content);
    return changed || text !== content
      ? { kind: 'content', content: text, original: { bytes: value } }
      : { kind: 'content', content: text };
  }
  const json = jsonTextOf(value);
  if ('problem' in json) {
    return { kind: 'unusable', problem: `What it returned is no JSON: ${json.problem}.` };
  }
  const text = cleanText(json.text);
  return text === json.text
    ? { kind: 'content', content: text }
    : { kind: 'content', content: text, original: { value: JSON.parse(json.text) as Json } };
}

function readParts(content: unknown): Returned {
  const checked = checkedParts(content);
  if ('problem' in checked) {
    return {
      kind: 'unusable',
      problem: `What it returned cannot be passed on: ${checked.problem}.`,
    };
  }
  return checked.changed
    ? { kind: 'content', content: checked.content, original: { value: checked.given } }
    : { kind: 'content', content: checked.content };
}
