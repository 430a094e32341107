import { previewOf } from '../core/stored.ts';

/**
 * A definition that cannot be registered. Says everything that is wrong at once; each problem names
 * the tool or agent, the option, and the mend.
 */
export class DefinitionError extends Error {
  override readonly name = 'DefinitionError';
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(
      problems.length === 1
        ? problems[0]
        : [`${problems.length} problems:`, ...problems.map((problem) => `- ${problem}`)].join('\n'),
    );
    this.problems = problems;
  }
}

/** How messages name what is being defined. */
export function subjectOf(kind: 'tool' | 'agent', definition: unknown): string {
  const name: unknown =
    typeof definition === 'object' && definition !== null && 'name' in definition
      ? definition.name
      : undefined;
  return typeof name === 'string' && name !== ''
    ? `${kind} ${JSON.stringify(previewOf(name, 70))}`
    : `${kind} without a name`;
}
