import type { Json } from './json.ts';

const ARRAY_INDEX = /^(?:0|[1-9]\d*)$/;

/** The value at a JSON Pointer (RFC 6901); `undefined` when there is none, or it is no pointer. */
export function valueAt(document: Json, pointer: string): Json | undefined {
  if (pointer !== '' && !pointer.startsWith('/')) return undefined;
  return memberAt(document, tokensOf(pointer));
}

/** A pointer's reference tokens, outermost first. */
export function tokensOf(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** The value that reference tokens lead to. */
export function memberAt(document: Json, tokens: readonly string[]): Json | undefined {
  let value: Json | undefined = document;
  for (const token of tokens) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, token)) {
      return undefined;
    }
    if (Array.isArray(value) && !isArrayIndex(token)) return undefined;
    value = (value as { readonly [name: string]: Json })[token];
  }
  return value;
}

export function isArrayIndex(token: string): boolean {
  return ARRAY_INDEX.test(token);
}
