/** What the ledger notes of an attempt that this worker is running. */
export interface AttemptRecord {
  /** Base64; a capability: whoever holds it can complete the attempt. */
  readonly taskToken: string;
  readonly namespace: string;
  readonly workflowId: string;
  readonly runId: string;
  readonly activityId: string;
  readonly activityType: string;
}

/** A running attempt in the ledger. */
export interface LedgerEntry {
  /** A process group that the tool started, with its leader's pid (= group id). */
  addProcessGroup(leader: number): void;
  removeProcessGroup(leader: number): void;
  /**
   * The handler has returned; its result is on the way to the server. The attempt is forgotten after
   * some seconds, not at once: a process that dies before the server has the result leaves an
   * attempt that is found like any other (and if the server has it, the report is refused).
   */
  returned(): void;
  /** The attempt has ended, or was handed out (`completion: 'later'`): forget it. */
  end(): void;
}

/**
 * The activities that this worker process is running, on local disk, with a socket beside it by
 * whose silence others know that the process died (design §4).
 */
export interface AttemptLedger {
  begin(record: AttemptRecord): LedgerEntry;
  /** Removes the ledger file and the socket: a process that ended in order leaves nothing to sweep. */
  close(): Promise<void>;
}
