import type { Json } from '../core/json.ts';
import { patchProblem } from '../core/patch-problem.ts';
import { MAX_PATCH_BYTES, type Operation } from '../core/state-patch.ts';
import { jsonTextOf } from './settle-json.ts';

export type CheckedPatch = { readonly patch: readonly Operation[] } | { readonly problem: string };

/** Whether a tool's `stateUpdate` is a JSON Patch (RFC 6902) by its shape; applying it is the workflow's. */
export function checkedPatch(stateUpdate: unknown): CheckedPatch {
  const json = jsonTextOf(stateUpdate);
  if ('problem' in json) return refused(json.problem);
  if (Buffer.byteLength(json.text) > MAX_PATCH_BYTES) {
    return refused(`it has more than ${MAX_PATCH_BYTES / 1024} KiB`);
  }
  const operations = JSON.parse(json.text) as Json;
  const problem = patchProblem(operations);
  if (problem !== undefined) return refused(problem);
  return { patch: operations as unknown as readonly Operation[] };
}

function refused(why: string): CheckedPatch {
  return {
    problem: `Its stateUpdate is no JSON Patch (RFC 6902): ${why}. The shared state is unchanged.`,
  };
}
