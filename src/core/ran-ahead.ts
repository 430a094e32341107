/**
 * Why a worker gives an instance of a conversation up (docs/decisions/queries-that-run-ahead.md); a query that
 * fails with it is asked again.
 */
export const RAN_AHEAD =
  'this worker ran ahead of the history to answer a query; it replays what is recorded';
