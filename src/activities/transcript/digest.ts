import { hash } from 'node:crypto';
import canonicalize from 'canonicalize';
import type { Json } from '../../core/json.ts';

/** SHA-256 as 64 lower-case hexadecimal digits; a text is hashed as UTF-8. */
export function sha256Hex(data: string | Uint8Array): string {
  return hash('sha256', data);
}

/**
 * SHA-256 (hex) over the RFC 8785 form of a value. It is the same before and after the value went
 * through JSON: what JSON cannot say (`NaN`, `undefined`) counts as what JSON makes of it.
 *
 * RFC 8785 has no form for half of a surrogate pair, but models and tools do send such text and
 * history keeps it. It is hashed in a form of our own, so that two different values still have two
 * different digests: the canonical form of the value with every backslash doubled and every lone
 * surrogate written as its escape, after a word with which no JSON begins.
 */
export function digestOf(value: unknown): string {
  return sha256Hex(canonicalForm(value));
}

/** A value's digest, and the length of what was hashed: how much memory the value takes. */
export interface Measure {
  readonly digest: string;
  readonly characters: number;
}

export function measure(value: unknown): Measure {
  const form = canonicalForm(value);
  return { digest: sha256Hex(form), characters: form.length };
}

/** The digest of a transcript that is one entry longer; `previous` is null for the first entry. */
export function chainDigest(previous: string | null, entryDigest: string): string {
  return sha256Hex(`${previous ?? ''}${entryDigest}`);
}

function canonicalForm(value: unknown): string {
  try {
    return canonicalize(value) ?? 'null';
  } catch {
    // The package refuses lone surrogates and NaN; a second try tells which of them it was.
    const json = JSON.stringify(value);
    const recorded = JSON.parse(json) as Json;
    if (!hasLoneSurrogate(json)) return canonicalize(recorded) ?? 'null';
    return `surrogates:${canonicalize(withoutLoneSurrogates(recorded)) ?? 'null'}`;
  }
}

const LONE_SURROGATE = /\p{Cs}/gu;

/** `JSON.stringify` writes a lone surrogate, and nothing else of that range, as an escape. */
function hasLoneSurrogate(json: string): boolean {
  return /(?:^|[^\\])(?:\\\\)*\\ud[89a-f]/.test(json);
}

function withoutLoneSurrogates(value: Json): Json {
  if (typeof value === 'string') return escaped(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(withoutLoneSurrogates);
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [escaped(key), withoutLoneSurrogates(member)]),
  );
}

function escaped(text: string): string {
  return text
    .replaceAll('\\', '\\\\')
    .replace(LONE_SURROGATE, (half) => `\\u${half.charCodeAt(0).toString(16)}`);
}
