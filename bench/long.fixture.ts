import { makeBenchAgent } from './agent.ts';

/** What the worker says of each call that it has made, to the process that started it. */
export interface CallReport {
  readonly n: number;
  /** Milliseconds of CPU that the process has taken so far, all of its threads. */
  readonly cpuMs: number;
}

/** The bench's agent in a process of its own, which can be killed and whose CPU time can be told. */
export default function longConfig({ contextBudget }: { readonly contextBudget: number }) {
  const onCall = (n: number) => {
    const { user, system } = process.cpuUsage();
    process.send?.({ n, cpuMs: (user + system) / 1_000 } satisfies CallReport);
  };
  return { agents: [makeBenchAgent({ contextBudget, onCall })] };
}
