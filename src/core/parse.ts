import type * as z from 'zod/mini';
import { isJsonObject } from './json.ts';
import { isNestedDeeper } from './nesting.ts';

export type Parsed<T> = { readonly value: T } | { readonly problems: readonly string[] };

/** Levels of nesting; deeper values are refused before anything that recurses can run out of stack. */
const MAX_DEPTH = 250;
const MAX_PROBLEMS = 20;
/** Of the outermost object. No message of ours has as many, and naming each unknown one takes long. */
const MAX_FIELDS = 100;
/** Per problem: one that names what a sender wrote could be as long as what was sent. */
const MAX_PROBLEM_CHARACTERS = 300;

/**
 * Judges what came from outside by its schema: the value, or every problem with its path.
 * @param schema gives it: what a module of core exports is frozen in the workflows' sandbox, and zod
 * completes a schema as it is used
 */
export function parse<Schema extends z.ZodMiniType>(
  schema: () => Schema,
  value: unknown,
): Parsed<z.infer<Schema>> {
  const unfit = unfitForSchemas(value);
  if (unfit !== undefined) return { problems: [unfit] };
  const result = schema().safeParse(value);
  if (result.success) return { value: result.data };
  return { problems: result.error.issues.slice(0, MAX_PROBLEMS).map((issue) => describe(issue)) };
}

function unfitForSchemas(value: unknown): string | undefined {
  if (ArrayBuffer.isView(value)) return 'expected JSON, got bytes';
  const fields = isJsonObject(value) ? Object.keys(value).length : 0;
  if (fields > MAX_FIELDS) return `expected at most ${MAX_FIELDS} fields, got ${fields}`;
  return isNestedDeeper(value, MAX_DEPTH)
    ? `expected JSON nested at most ${MAX_DEPTH} levels deep`
    : undefined;
}

function describe(issue: z.core.$ZodIssue): string {
  const text = describeIssue(issue);
  return text.length <= MAX_PROBLEM_CHARACTERS
    ? text
    : `${text.slice(0, MAX_PROBLEM_CHARACTERS - 1)}…`;
}

function describeIssue(issue: z.core.$ZodIssue): string {
  const path = issue.path.length === 0 ? '' : `${issue.path.map(String).join('.')}: `;
  if (issue.code === 'unrecognized_keys') {
    const keys = issue.keys.slice(0, MAX_PROBLEMS).map((key) => `"${key}"`);
    return `${path}unknown ${issue.keys.length === 1 ? 'field' : 'fields'} ${keys.join(', ')}`;
  }
  if (issue.code === 'invalid_type') return `${path}expected ${issue.expected}`;
  return `${path}${issue.message}`;
}
