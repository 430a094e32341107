/** The stable types of a failed model completion (design §7). A failure is classified once, where it enters. */
export const MODEL_FAILURES = [
  'rate_limited',
  'overloaded',
  'server_error',
  'connection',
  'stalled',
  'invalid_request',
  'too_large',
  'context_overflow',
  'auth',
  'permission',
  'not_found',
  'billing',
  'refused',
  'bad_response',
  'cancelled',
] as const;
export type ModelFailureType = (typeof MODEL_FAILURES)[number];

/** Worth another attempt of the same request: the cause lies with the service or the way to it. */
export function isTransient(type: ModelFailureType): boolean {
  switch (type) {
    case 'rate_limited':
    case 'overloaded':
    case 'server_error':
    case 'connection':
    case 'stalled':
    case 'bad_response':
      return true;
    case 'invalid_request':
    case 'too_large':
    case 'context_overflow':
    case 'auth':
    case 'permission':
    case 'not_found':
    case 'billing':
    case 'refused':
    case 'cancelled':
      return false;
  }
}

/** `type` of the ApplicationFailure with which an activity reports its attempt as failed. */
export const ATTEMPT_FAILURES = {
  /** This worker does not know the agent, tool or model; another one of the fleet may. */
  notKnownHere: 'NotKnownHere',
  /** The tool marked its failure as worth another attempt, or never reached the service. */
  transient: 'Transient',
  /** The attempt's process is proved to have died (attempt ledger). */
  workerLost: 'WorkerLost',
  /** The worker shut down and the handler returned: proved ended. The SDK uses the same word. */
  workerShutdown: 'WorkerShutdown',
  /** A `once` handler that Temporal tried to start a second time: it did not run. */
  secondStart: 'SecondStart',
  /** A store (blobs) that this worker cannot use; another attempt may. */
  storeUnavailable: 'StoreUnavailable',
} as const;
