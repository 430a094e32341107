import { applyPatch } from 'rfc6902';
import type { Json } from './json.ts';
import { patchProblem } from './patch-problem.ts';
import { utf8Bytes } from './slices.ts';

/** One operation of RFC 6902. */
export type Operation =
  | { readonly op: 'add' | 'replace' | 'test'; readonly path: string; readonly value: Json }
  | { readonly op: 'remove'; readonly path: string }
  | { readonly op: 'move' | 'copy'; readonly from: string; readonly path: string };

export type PatchResult = { readonly state: Json } | { readonly problem: string };

/** A patch is recorded in history and kept in the workflow's memory. */
export const MAX_PATCH_BYTES = 64 * 1024;
/** The shared state may grow by patches to this, in bytes of JSON. */
export const MAX_SHARED_STATE_BYTES = 64 * 1024;

const FORBIDDEN = /(^|\/)(__proto__|constructor|prototype)(\/|$)/;
const ARRAY_INDEX = /^(?:0|[1-9]\d*)$/;

/** Applies one call's operations to a copy of the state: all of them, or none. Never throws. */
export function applyStatePatch(state: Json, patch: readonly Operation[]): PatchResult {
  const shape = patchProblem(patch);
  if (shape !== undefined) return { problem: `it is no JSON Patch: ${shape}` };
  // A root of its own, so that an operation on the path "" can replace the whole document.
  const root = { state: copyOf(state) };
  for (const [index, operation] of patch.entries()) {
    const problem = problemOf(operation, root.state) ?? applied(operation, root);
    if (problem !== undefined) {
      return { problem: `operation ${index} (${operation.op} ${operation.path}): ${problem}` };
    }
  }
  return sizeProblem(root.state) ?? { state: root.state };
}

function applied(operation: Operation, root: { readonly state: Json }): string | undefined {
  const [error] = applyPatch(root, [underRoot(operation)]);
  if (error !== null && error !== undefined) return error.message;
  // Copies of copies double each time.
  return operation.op === 'copy' ? sizeProblem(root.state)?.problem : undefined;
}

function sizeProblem(state: Json): { readonly problem: string } | undefined {
  return utf8Bytes(JSON.stringify(state)) > MAX_SHARED_STATE_BYTES
    ? { problem: `the state would have more than ${MAX_SHARED_STATE_BYTES} bytes` }
    : undefined;
}

/** What the library would not refuse but do to something that is no part of the document. */
function problemOf(operation: Operation, state: Json): string | undefined {
  const { op, path } = operation;
  const paths = 'from' in operation ? [operation.from, path] : [path];
  const forbidden = paths.find((one) => FORBIDDEN.test(one));
  if (forbidden !== undefined) return `the path "${forbidden}" is not allowed`;
  if (op === 'remove' && path === '') return 'the whole state can be replaced, not removed';
  const makes = op === 'add' || op === 'move' || op === 'copy';
  if ('from' in operation && !isPlace(state, operation.from, 'there')) {
    return `there is nothing at "${operation.from}"`;
  }
  if (isPlace(state, path, makes ? 'can be made' : 'there')) return undefined;
  return makes ? `nothing can be put at "${path}"` : `there is nothing at "${path}"`;
}

function isPlace(document: Json, pointer: string, wanted: 'there' | 'can be made'): boolean {
  if (pointer === '') return true;
  const names = pointer
    .slice(1)
    .split('/')
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'));
  const last = names.pop() ?? '';
  let value: Json | undefined = document;
  for (const name of names) value = memberOf(value, name);
  if (typeof value !== 'object' || value === null) return false;
  if (wanted === 'there') return memberOf(value, last) !== undefined;
  return Array.isArray(value)
    ? last === '-' || (ARRAY_INDEX.test(last) && Number(last) <= value.length)
    : true;
}

function memberOf(value: Json | undefined, name: string): Json | undefined {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  if (Array.isArray(value) && !ARRAY_INDEX.test(name)) return undefined;
  return (value as { readonly [name: string]: Json })[name];
}

function underRoot(operation: Operation): Parameters<typeof applyPatch>[1][number] {
  const path = `/state${operation.path}`;
  if ('from' in operation) return { op: operation.op, path, from: `/state${operation.from}` };
  // The library keeps the value that it is given: a copy keeps the recorded patch unchanged.
  if ('value' in operation) return { op: operation.op, path, value: copyOf(operation.value) };
  return { op: operation.op, path };
}

function copyOf(value: Json): Json {
  return JSON.parse(JSON.stringify(value)) as Json;
}
