import { applyPatch } from 'rfc6902';
import type { Json } from './json.ts';
import { isNestedDeeper } from './nesting.ts';
import { patchProblem } from './patch-problem.ts';
import { isSameJson } from './same-json.ts';
import { utf8Bytes } from './slices.ts';
import { previewOf } from './stored.ts';
import { isArrayIndex, memberAt, tokensOf, valueAt } from './value-at.ts';

/** One operation of RFC 6902. */
export type Operation =
  | { readonly op: 'add' | 'replace'; readonly path: string; readonly value: Json }
  | { readonly op: 'test'; readonly path: string; readonly value: Json }
  | { readonly op: 'remove'; readonly path: string }
  | Relocation;

type Relocation = { readonly op: 'move' | 'copy'; readonly from: string; readonly path: string };

type LibraryOperation = Parameters<typeof applyPatch>[1][number];

export type PatchResult = { readonly state: Json } | { readonly problem: string };

/** A patch is recorded in history and kept in the workflow's memory. */
export const MAX_PATCH_BYTES = 64 * 1024;
/** The shared state may grow by patches to this, in bytes of JSON. */
export const MAX_SHARED_STATE_BYTES = 64 * 1024;

/** Characters of a value that a problem names. */
const MAX_PREVIEW = 60;
/** Characters of a problem, and of the place that it names: a pointer may be as long as the patch. */
const MAX_PROBLEM = 200;
const FORBIDDEN = /(^|\/)(__proto__|constructor|prototype)(\/|$)/;

/** Levels of arrays and objects, so that nothing that walks the state runs out of stack. */
export const MAX_SHARED_STATE_LEVELS = 200;

/** Applies one call's operations to a copy of the state: all of them, or none. Never throws. */
export function applyStatePatch(state: Json, patch: readonly Operation[]): PatchResult {
  const shape = patchProblem(patch);
  if (shape !== undefined)
    return { problem: `it is no JSON Patch: ${previewOf(shape, MAX_PROBLEM)}` };
  // A root of its own, so that an operation on the path "" can replace the whole document.
  const root = { state: copyOf(state) };
  for (const [index, operation] of patch.entries()) {
    const problem = problemOf(operation, root.state) ?? applied(operation, root);
    if (problem !== undefined) {
      const where = `operation ${index} (${operation.op} ${operation.path})`;
      return { problem: `${previewOf(where, MAX_PROBLEM)}: ${previewOf(problem, MAX_PROBLEM)}` };
    }
  }
  return sizeProblem(root.state) ?? { state: root.state };
}

function applied(operation: Operation, root: { readonly state: Json }): string | undefined {
  // The library's own test looks for the shortest list of differences, which takes memory with the
  // square of a list's length, and it throws at members that are named as an object's methods.
  if (operation.op === 'test') {
    return testProblem(operation.value, valueAt(root.state, operation.path));
  }
  const [error] = applyPatch(root, [underRoot(operation)]);
  if (error !== null && error !== undefined) return error.message;
  // Copies of copies double each time.
  return operation.op === 'copy' ? sizeProblem(root.state)?.problem : undefined;
}

function testProblem(value: Json, there: Json | undefined): string | undefined {
  return there !== undefined && isSameJson(there, value)
    ? undefined
    : `${preview(there)} is there, not ${preview(value)}`;
}

function preview(value: Json | undefined): string {
  return previewOf(JSON.stringify(value) ?? 'nothing', MAX_PREVIEW);
}

function sizeProblem(state: Json): { readonly problem: string } | undefined {
  return utf8Bytes(JSON.stringify(state)) > MAX_SHARED_STATE_BYTES
    ? { problem: `the state would have more than ${MAX_SHARED_STATE_BYTES} bytes` }
    : undefined;
}

/** What the library would not refuse but do to something that is no part of the document. */
function problemOf(operation: Operation, state: Json): string | undefined {
  const { op, path } = operation;
  const from = isRelocation(operation) ? operation.from : undefined;
  const forbidden = [from ?? '', path].find((one) => FORBIDDEN.test(one));
  if (forbidden !== undefined) return `the path "${forbidden}" is not allowed`;
  if (op === 'remove' && path === '') return 'the whole state can be replaced, not removed';
  if (from !== undefined && valueAt(state, from) === undefined) {
    return `there is nothing at "${from}"`;
  }
  if (op === 'move' && path.startsWith(`${from}/`)) return 'a value cannot be moved into itself';
  const makes = op === 'add' || op === 'move' || op === 'copy';
  if (makes ? !canBeMade(state, path) : valueAt(state, path) === undefined) {
    return makes ? `nothing can be put at "${path}"` : `there is nothing at "${path}"`;
  }
  const room = MAX_SHARED_STATE_LEVELS - tokensOf(path).length;
  const put = putBy(operation, state);
  if (room < 0 || isNestedDeeper(put, room)) {
    return `the state would be nested deeper than ${MAX_SHARED_STATE_LEVELS} levels`;
  }
  // The library's copy would leave it out.
  return hasPrototypeMember(put) ? 'a member "__proto__" is not allowed' : undefined;
}

function hasPrototypeMember(value: Json | undefined): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return Object.hasOwn(value, '__proto__') || Object.values(value).some(hasPrototypeMember);
}

function isRelocation(operation: Operation): operation is Relocation {
  return operation.op === 'move' || operation.op === 'copy';
}

/** The value that an operation puts somewhere, or compares with what is there. */
function putBy(operation: Operation, state: Json): Json | undefined {
  if (isRelocation(operation)) return valueAt(state, operation.from);
  return operation.op === 'remove' ? undefined : operation.value;
}

function canBeMade(state: Json, pointer: string): boolean {
  const tokens = tokensOf(pointer);
  const last = tokens.pop();
  if (last === undefined) return true;
  const parent = memberAt(state, tokens);
  if (typeof parent !== 'object' || parent === null) return false;
  return Array.isArray(parent)
    ? last === '-' || (isArrayIndex(last) && Number(last) <= parent.length)
    : true;
}

function underRoot(operation: Exclude<Operation, { op: 'test' }>): LibraryOperation {
  const path = `/state${operation.path}`;
  if (isRelocation(operation)) return { op: operation.op, path, from: `/state${operation.from}` };
  if (operation.op === 'remove') return { op: 'remove', path };
  return { op: operation.op, path, value: operation.value };
}

function copyOf(value: Json): Json {
  return JSON.parse(JSON.stringify(value)) as Json;
}
