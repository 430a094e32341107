import type { JsonObject } from '../../core/json.ts';

export type Dialect = '2020-12' | '2019-09' | 'draft-07';

const DIALECTS: ReadonlyMap<string, Dialect> = new Map([
  ['https://json-schema.org/draft/2020-12/schema', '2020-12'],
  ['https://json-schema.org/draft/2019-09/schema', '2019-09'],
  ['http://json-schema.org/draft-07/schema', 'draft-07'],
]);

/** The dialect that a document declares by `$schema`, 2020-12 without one; undefined when we cannot judge by it. */
export function dialectOf(schema: JsonObject): Dialect | undefined {
  const declared = schema.$schema;
  if (declared === undefined) return '2020-12';
  return typeof declared === 'string' ? DIALECTS.get(declared.replace(/#$/, '')) : undefined;
}

export const KNOWN_DIALECTS: readonly string[] = [...DIALECTS.keys()];
