/** What a check of `doctor` found. */
export interface Finding {
  readonly check: string;
  /** `skipped`: could not be told here. */
  readonly verdict: 'ok' | 'warning' | 'bad' | 'skipped';
  readonly detail: string;
  /** What to do about it. */
  readonly mend?: string;
}
