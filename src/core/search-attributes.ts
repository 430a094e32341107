import { SEARCH_ATTRIBUTES } from './names.ts';

/** The types of our search attributes, as Temporal's command line names them. */
export const SEARCH_ATTRIBUTE_TYPES = {
  [SEARCH_ATTRIBUTES.status]: 'Keyword',
  [SEARCH_ATTRIBUTES.pending]: 'Int',
  [SEARCH_ATTRIBUTES.tenant]: 'Keyword',
  [SEARCH_ATTRIBUTES.tags]: 'KeywordList',
} as const;

/** How the server's API numbers the types that we use. */
export const SEARCH_ATTRIBUTE_NUMBERS = { Keyword: 2, Int: 3, KeywordList: 7 } as const;

type Type = keyof typeof SEARCH_ATTRIBUTE_NUMBERS;

/** Names of ours that a namespace lacks, and those that it has under another type. */
export interface UnfitAttributes {
  readonly lacking: readonly (readonly [name: string, type: Type])[];
  readonly otherwise: readonly (readonly [name: string, type: Type])[];
}

/** @param registered the namespace's attributes with the numbers of their types */
export function unfitAttributes(
  registered: { readonly [name: string]: unknown } | null | undefined,
): UnfitAttributes {
  const has = registered ?? {};
  const ours = Object.entries(SEARCH_ATTRIBUTE_TYPES);
  return {
    lacking: ours.filter(([name]) => !(name in has)),
    otherwise: ours.filter(
      ([name, type]) => name in has && has[name] !== SEARCH_ATTRIBUTE_NUMBERS[type],
    ),
  };
}
