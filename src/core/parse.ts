import type * as z from 'zod/mini';

export type Parsed<T> = { readonly value: T } | { readonly problems: readonly string[] };

/** Judges what came from outside by its schema: the value, or every problem with its path. */
export function parse<Schema extends z.ZodMiniType>(
  schema: Schema,
  value: unknown,
): Parsed<z.infer<Schema>> {
  const result = schema.safeParse(value);
  if (result.success) return { value: result.data };
  return { problems: result.error.issues.map((issue) => describeIssue(issue)).slice(0, 20) };
}

function describeIssue(issue: z.core.$ZodIssue): string {
  const path = issue.path.length === 0 ? '' : `${issue.path.map(String).join('.')}: `;
  if (issue.code === 'unrecognized_keys') {
    return `${path}unknown ${issue.keys.length === 1 ? 'field' : 'fields'} ${issue.keys.map((key) => `"${key}"`).join(', ')}`;
  }
  if (issue.code === 'invalid_type') return `${path}expected ${issue.expected}`;
  return `${path}${issue.message}`;
}
