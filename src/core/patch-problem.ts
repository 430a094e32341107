const POINTER = /^(?:\/(?:[^~]|~[01])*)?$/;

/**
 * Why a value is no JSON Patch (RFC 6902) by its shape: it may come from a tool, or from whatever
 * service completed a call.
 */
export function patchProblem(value: unknown): string | undefined {
  if (!Array.isArray(value)) return 'it is not a list of operations';
  for (const [index, operation] of value.entries()) {
    const problem = operationProblem(operation);
    if (problem !== undefined) return `operation ${index} ${problem}`;
  }
  return undefined;
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
