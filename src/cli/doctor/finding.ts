import { messageOf } from '../../core/describe-error.ts';
/** What a check of `doctor` found. */
export interface Finding {
  readonly check: string;
  /** `skipped`: could not be told here. */
  readonly verdict: 'ok' | 'warning' | 'bad' | 'skipped';
  readonly detail: string;
  /** What to do about it. */
  readonly mend?: string;
}

/** Words of whatever was thrown, on one line. */
export function reasonOf(error: unknown): string {
  const lines = messageOf(error).split('\n');
  return lines.map((line) => line.trim()).join(' ');
}
