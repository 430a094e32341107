import { pointerTo } from './json-pointer.ts';

/** Deeper values are refused: what digests, stores and renders them would run out of stack. */
export const MAX_JSON_DEPTH = 200;

const MAX_PROBLEMS = 20;

/**
 * Why a value is not JSON that can be recorded exactly, with JSON pointers; empty when it is.
 * Refused are also numbers that JSON cannot carry, halves of surrogate pairs (RFC 8785 has no form
 * for them), cycles, and depth over 200.
 */
export function jsonProblems(value: unknown): string[] {
  const problems: string[] = [];
  const parents = new Set<object>();
  const visit = (part: unknown, path: readonly (string | number)[]): void => {
    if (problems.length >= MAX_PROBLEMS) return;
    const problem = scalarProblem(part);
    if (problem !== undefined) problems.push(`${pointerTo(path)}: ${problem}`);
    if (typeof part !== 'object' || part === null) return;
    if (parents.has(part)) {
      problems.push(`${pointerTo(path)}: contains itself`);
    } else if (path.length > MAX_JSON_DEPTH) {
      problems.push(
        `${pointerTo(path.slice(0, 5))}: is nested deeper than ${MAX_JSON_DEPTH} levels`,
      );
    } else if (problem === undefined) {
      parents.add(part);
      for (const [key, child] of childrenOf(part)) {
        if (typeof key === 'string' && hasLoneSurrogate(key)) {
          problems.push(`${pointerTo(path)}: has a key with half of a surrogate pair`);
        }
        visit(child, [...path, key]);
      }
      parents.delete(part);
    }
  };
  visit(value, []);
  return problems;
}

export function hasLoneSurrogate(text: string): boolean {
  return /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/.test(text);
}

function childrenOf(part: object): readonly (readonly [string | number, unknown])[] {
  return Array.isArray(part) ? part.map((child, n) => [n, child] as const) : Object.entries(part);
}

function scalarProblem(part: unknown): string | undefined {
  switch (typeof part) {
    case 'boolean':
      return undefined;
    case 'string':
      return hasLoneSurrogate(part)
        ? 'has half of a surrogate pair, which is no character'
        : undefined;
    case 'number':
      return Number.isFinite(part) ? undefined : `${part} is a number that JSON cannot carry`;
    case 'object':
      return part === null || Array.isArray(part) || isPlain(part)
        ? undefined
        : `is a ${part.constructor?.name ?? 'special object'}, not plain JSON`;
    default:
      return `is ${typeof part === 'undefined' ? 'undefined' : `a ${typeof part}`}, which JSON has no form for`;
  }
}

function isPlain(part: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(part);
  return prototype === Object.prototype || prototype === null;
}
