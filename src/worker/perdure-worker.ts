/** A worker that runs conversations and their tools. */
export interface PerdureWorker {
  /** Names of the agents that it serves. */
  readonly agents: readonly string[];
  readonly taskQueue: string;
  readonly namespace: string;
  /**
   * Polls until it is shut down. Resolves when everything has ended and is closed.
   * @throws what made the worker fail
   */
  run(): Promise<void>;
  /**
   * Ends it in order: no new work; `once` calls are waited for, other attempts are told to stop and
   * go on elsewhere; after the configured time it ends whatever still runs.
   */
  shutdown(): void;
}
