/** The run's history names no spec with this digest. */
export class SpecNotFound extends Error {
  override readonly name = 'SpecNotFound';

  constructor(location: { readonly workflowId: string; readonly runId: string }, digest: string) {
    super(
      `the history of conversation "${location.workflowId}" (run ${location.runId}) has no readable spec with digest ${digest}`,
    );
  }
}
