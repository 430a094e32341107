import type { PlannedCall } from '../../src/core/call.ts';
import { begin } from '../../src/core/begin.ts';
import type { Settings } from '../../src/core/spec.ts';
import { Memory } from '../../src/workflows/memory.ts';

/** A conversation's memory in the middle of its first turn, with settings of one's own. */
export function buildMemory(settings: Partial<Settings> = {}): Memory {
  const born = begin(
    { message: 'go' },
    { agent: 'agent', run: 'run', at: '2026-01-01T00:00:00.000Z' },
  );
  if ('problems' in born) throw new Error(born.problems.join());
  const { spec } = born.state;
  const state = {
    ...born.state,
    turn: 1,
    step: 1,
    spec: { ...spec, digest: 'spec', settings: { ...spec.settings, ...settings } },
    running: {
      startedAtMs: 0,
      waitedMs: 0,
      truncatedInARow: 0,
      overflowCompacted: false,
      extensions: 0,
    },
  };
  return new Memory(state, 'run', () => {});
}

export function buildCall(index: number, call: Partial<PlannedCall> = {}): PlannedCall {
  return {
    key: `conversation/1.1.${index}.key${index}`,
    callId: `call_${index}`,
    index,
    tool: 'tool',
    input: { index },
    inputDigest: `digest${index}`,
    verdict: 'run',
    effect: 'read',
    danger: false,
    timeout: 60_000,
    parallelSafe: true,
    summary: `call ${index}`,
    ...call,
  };
}
