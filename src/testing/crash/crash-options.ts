import type { StartOptions } from '../../client/start-conversation.ts';
import type { ApprovalRequest } from '../../core/approval-request.ts';
import type { Content } from '../../core/content.ts';
import type { Json } from '../../core/json.ts';
import type { KillPoint } from './kill-points.ts';
import type { Answer } from './person.ts';

/** One conversation of a crash test. */
export interface CrashConversation {
  /** The agent's name. */
  readonly agent: string;
  readonly start: StartOptions;
  /** Said while it runs, at random moments; a chat ends after the last has been answered. */
  readonly messages?: readonly Content[];
}

export interface CrashTestOptions {
  /**
   * Path or URL of the module that the worker processes load: its default export is a configuration
   * (`defineConfig`), or a function of `options` that returns one.
   */
  readonly config: string | URL;
  readonly options?: Json;
  /** The n-th conversation, from 0. It must come to its end by itself, and by `messages` and `answer`. */
  readonly conversation: (n: number) => CrashConversation;
  /** What people answer when they are asked. Default: they approve. */
  readonly answer?: (request: ApprovalRequest) => Answer;
  /**
   * How often each call of a conversation had its effect, by `ctx.idempotencyKey`: your store knows.
   * Without it the test goes by how often `execute` was begun and came to its end.
   */
  readonly effects?: (
    conversationId: string,
  ) => ReadonlyMap<string, number> | Promise<ReadonlyMap<string, number>>;
  /** SIGKILLs, one worker process each. Default 30. */
  readonly kills?: number;
  /** Where workers are killed. Default: everywhere that these agents come to. */
  readonly points?: readonly KillPoint[];
  /** The same seed makes the same choices of kills. Default: a new one, which the report names. */
  readonly seed?: number;
  /** Conversations that run at the same time. Default 12. */
  readonly atOnce?: number;
  /** Events after which a run continues as new, so that this is hit as well. Default: as ever. */
  readonly handOverEvents?: number;
  /** Default 10 s: of an attempt that no ledger knows. */
  readonly heartbeatTimeoutMs?: number;
  /** A conversation that has not ended so long after the last kill is stuck. Default 2 minutes. */
  readonly stuckAfterMs?: number;
  /** Directory for the histories of conversations that have a problem. Default: they are not kept. */
  readonly histories?: string;
  /** `host:port` of a Temporal server. Default: one is started for the test. */
  readonly address?: string;
  readonly namespace?: string;
  /** Told how far it is. Default: nobody is. */
  readonly log?: (line: string) => void;
}
