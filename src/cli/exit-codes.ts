/** How a command ended, for scripts. */
export const EXIT = {
  ok: 0,
  /** Something failed: the run, the server, a refusal. */
  failed: 1,
  /** The command line, a file or an argument is not usable; nothing was sent. */
  usage: 2,
  /** `run`: a limit ended it before the agent was done. */
  partial: 3,
  /** `run --no-wait`: the run goes on, and waits for an approval. */
  waiting: 4,
  /** Ctrl-C: 128 + SIGINT. */
  interrupted: 130,
} as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];
