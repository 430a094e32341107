import type { Json } from '../core/json.ts';
import type { Operation } from '../core/state-patch.ts';
import { jsonTextOf } from './settle-json.ts';

/** A patch is recorded in history and kept in the workflow's memory. */
const MAX_PATCH_BYTES = 64 * 1024;

const POINTER = /^(?:\/(?:[^~]|~[01])*)?$/;

export type CheckedPatch = { readonly patch: readonly Operation[] } | { readonly problem: string };

/** Whether a tool's `stateUpdate` is a JSON Patch (RFC 6902) by its shape; applying it is the workflow's. */
export function checkedPatch(stateUpdate: unknown): CheckedPatch {
  const json = jsonTextOf(stateUpdate);
  if ('problem' in json) return refused(json.problem);
  if (Buffer.byteLength(json.text) > MAX_PATCH_BYTES) {
    return refused(`it has more than ${MAX_PATCH_BYTES / 1024} KiB`);
  }
  const operations = JSON.parse(json.text) as Json;
  if (!Array.isArray(operations)) return refused('it is not a list of operations');
  for (const [index, operation] of operations.entries()) {
    const problem = operationProblem(operation);
    if (problem !== undefined) return refused(`operation ${index} ${problem}`);
  }
  return { patch: operations as unknown as readonly Operation[] };
}

function refused(why: string): CheckedPatch {
  return {
    problem: `Its stateUpdate is no JSON Patch (RFC 6902): ${why}. The shared state is unchanged.`,
  };
}

function operationProblem(operation: unknown): string | undefined {
  if (typeof operation !== 'object' || operation === null) return 'is not an object';
  const { op, path, from } = operation as { op?: unknown; path?: unknown; from?: unknown };
  if (!isPointer(path)) return `has no JSON Pointer as its "path": ${JSON.stringify(path)}`;
  switch (op) {
    case 'add':
    case 'replace':
    case 'test':
      return 'value' in operation ? undefined : `("${op}") has no "value"`;
    case 'move':
    case 'copy':
      return isPointer(from) ? undefined : `("${op}") has no JSON Pointer as its "from"`;
    case 'remove':
      return undefined;
    default:
      return `has an unknown "op": ${JSON.stringify(op)}`;
  }
}

function isPointer(value: unknown): boolean {
  return typeof value === 'string' && POINTER.test(value);
}
