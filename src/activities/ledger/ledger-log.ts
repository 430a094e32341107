/** What the ledger says to the operator. Temporal's loggers and a tool's log fit. */
export interface LedgerLog {
  info(message: string, fields?: Record<string, unknown>): void;
  warn(message: string, fields?: Record<string, unknown>): void;
}
