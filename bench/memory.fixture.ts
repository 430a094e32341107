import { makeBenchAgent } from './agent.ts';

/** Bytes that the worker's process has in memory. */
export interface MemoryReport {
  readonly rss: number;
}

const EVERY_MS = 1_000;

/** The bench's agent in a process of its own that tells its memory. */
export default function memoryConfig(options: { readonly maxCachedWorkflows: number }) {
  setInterval(() => {
    const { rss } = process.memoryUsage();
    process.send?.({ rss } satisfies MemoryReport);
  }, EVERY_MS).unref();
  return { agents: [makeBenchAgent()], worker: options };
}
