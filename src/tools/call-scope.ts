import { AsyncLocalStorage } from 'node:async_hooks';

/** Which call the running code belongs to, for what a tool does outside of its own process or promise. */
export interface CallScope {
  readonly tool: string;
  readonly key: string;
  readonly log: { error(message: string, fields?: Record<string, unknown>): void };
  /** A process group that the call started, by its leader's pid: ended with the worker, should it die. */
  addProcessGroup(leader: number): void;
  removeProcessGroup(leader: number): void;
  /** Work to be done when the call has ended; it is waited for. */
  atEnd(work: () => Promise<void>): void;
}

/** Set while a tool's code runs, and in everything that it starts. */
export const callScope = new AsyncLocalStorage<CallScope>();
