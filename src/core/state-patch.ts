import { applyPatch } from 'rfc6902';
import type { Json } from './json.ts';

/** One operation of RFC 6902. */
export type Operation =
  | { readonly op: 'add' | 'replace' | 'test'; readonly path: string; readonly value: Json }
  | { readonly op: 'remove'; readonly path: string }
  | { readonly op: 'move' | 'copy'; readonly from: string; readonly path: string };

export type PatchResult = { readonly state: Json } | { readonly problem: string };

const FORBIDDEN = /(^|\/)(__proto__|constructor|prototype)(\/|$)/;

/** Applies one call's operations to a copy of the state: all of them, or none. */
export function applyStatePatch(state: Json, patch: readonly Operation[]): PatchResult {
  for (const operation of patch) {
    const paths = 'from' in operation ? [operation.from, operation.path] : [operation.path];
    const forbidden = paths.find((path) => FORBIDDEN.test(path));
    if (forbidden !== undefined) return { problem: `the path "${forbidden}" is not allowed` };
  }
  // A root of its own, so that an operation on the path "" can replace the whole document.
  const root = { state: JSON.parse(JSON.stringify(state)) as Json };
  const operations = patch.map((operation) => underRoot(operation));
  const errors = applyPatch(root, operations);
  for (const [index, error] of errors.entries()) {
    if (error === null || error === undefined) continue;
    const operation = patch[index];
    return {
      problem: `operation ${index} (${operation?.op} ${operation?.path}): ${error.message}`,
    };
  }
  return { state: root.state };
}

function underRoot(operation: Operation): Parameters<typeof applyPatch>[1][number] {
  const moved = { ...operation, path: `/state${operation.path}` };
  if ('from' in operation) return { ...moved, from: `/state${operation.from}` } as never;
  // The library keeps the value that it is given: a copy keeps the recorded patch unchanged.
  if ('value' in operation) {
    return { ...moved, value: JSON.parse(JSON.stringify(operation.value)) as Json } as never;
  }
  return moved as never;
}
