/**
 * What is recorded does not add up to the transcript that was asked for, neither from the cache nor
 * read anew. The transcript is never guessed: a model is shown what happened, or nothing.
 */
export class TranscriptMismatch extends Error {
  override readonly name = 'TranscriptMismatch';
  readonly workflowId: string;
  readonly runId: string;
  /** Number of entries and digest that were expected. */
  readonly expected: { readonly count: number; readonly digest: string | null };
  /** What history and segments have instead, in words. */
  readonly found: string;

  constructor(
    location: { readonly workflowId: string; readonly runId: string },
    expected: { readonly count: number; readonly digest: string | null },
    found: string,
    options?: { readonly cause?: unknown },
  ) {
    super(
      `the transcript of conversation "${location.workflowId}" (run ${location.runId}) at entry ${expected.count} ` +
        `with digest ${expected.digest ?? 'none'} cannot be read: ${found}`,
      options,
    );
    this.workflowId = location.workflowId;
    this.runId = location.runId;
    this.expected = { count: expected.count, digest: expected.digest };
    this.found = found;
  }
}
