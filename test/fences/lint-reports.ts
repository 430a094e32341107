import { run, type ScratchProject } from './scratch-project.ts';

export interface LintReport {
  readonly file: string;
  readonly rule: string;
  readonly message: string;
  /** What to do instead. */
  readonly help: string;
}

/** What the linter, called as `npm run lint` calls it, says of a project. */
export async function reportsOf(project: ScratchProject): Promise<readonly LintReport[]> {
  const args = ['--type-aware', '--deny-warnings', '--format', 'json'];
  const { output } = await run(project.directory, 'oxlint', args);
  const { diagnostics } = JSON.parse(output) as {
    diagnostics: { filename: string; code: string; message: string; help?: string }[];
  };
  return diagnostics.map(({ filename, code, message, help }) => ({
    file: filename,
    rule: code,
    message,
    help: help ?? '',
  }));
}
