import { makeBenchAgent } from './agent.ts';

/** The bench's agent in a process of its own, whose memory can be told. */
export default function memoryConfig(worker: { readonly maxCachedWorkflows: number }) {
  return { agents: [makeBenchAgent()], worker };
}
