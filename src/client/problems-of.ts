import * as z from 'zod/mini';

type Issue = z.core.$ZodIssue;

const WORDS = { error: z.locales.en().localeError };

/**
 * Checks a value against a schema. All problems at once, each with its place: `limits.maxSteps:
 * expected number to be >0`.
 */
export function checked<Schema extends z.ZodMiniType>(
  schema: () => Schema,
  value: unknown,
): { readonly value: z.infer<Schema> } | { readonly problems: readonly string[] } {
  const result = z.safeParse(schema(), value, WORDS);
  return result.success
    ? { value: result.data }
    : { problems: result.error.issues.flatMap((issue) => wordsOf(issue, [])) };
}

function wordsOf(issue: Issue, parent: readonly PropertyKey[]): string[] {
  const path = [...parent, ...issue.path];
  if (issue.code === 'invalid_union') {
    const closest = closestBranch(issue.errors);
    if (closest !== undefined) return closest.flatMap((inner) => wordsOf(inner, path));
  }
  const words = issue.message.replace(/^(Invalid input|Invalid option|Too small|Too big): /, '');
  return [path.length === 0 ? words : `${pathText(path)}: ${words}`];
}

/** Of a union's branches, the one that the value nearly was: its problems lie deepest, and are fewest. */
function closestBranch(branches: readonly (readonly Issue[])[]): readonly Issue[] | undefined {
  const depth = (issues: readonly Issue[]) => Math.max(0, ...issues.map(deepest));
  return [...branches]
    .filter((issues) => issues.length > 0)
    .sort((a, b) => depth(b) - depth(a) || a.length - b.length)[0];
}

function deepest(issue: Issue): number {
  const below =
    issue.code === 'invalid_union'
      ? Math.max(0, ...issue.errors.flatMap((branch) => branch.map(deepest)))
      : 0;
  return issue.path.length + below;
}

function pathText(path: readonly PropertyKey[]): string {
  return path
    .map((part, index) =>
      typeof part === 'number' ? `[${part}]` : `${index === 0 ? '' : '.'}${String(part)}`,
    )
    .join('');
}
