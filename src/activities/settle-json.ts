/** Deeper values are no data that a model could read; the walk must not overflow the stack. */
const MAX_DEPTH = 1_000;

/** Parts that many others hold are said each time: a few of them could make more text than there is memory. */
const MAX_PARTS = 2_000_000;

export type JsonText = { readonly text: string } | { readonly problem: string };

/**
 * The JSON text of anything that a tool returned. What JSON has no word for but text can say is
 * said as text (big integers, dates, bytes as base64, `NaN`), maps and sets become objects and
 * arrays; what holds no data (functions, symbols, promises, streams) or never ends (cycles) is a
 * problem that names its place.
 */
export function jsonTextOf(value: unknown): JsonText {
  try {
    return { text: JSON.stringify(plain(value, '', { ancestors: new Set(), parts: 0 })) ?? 'null' };
  } catch (error) {
    if (error instanceof NotJson) return { problem: error.message };
    return { problem: `it could not be read: ${String((error as Error | undefined)?.message)}` };
  }
}

class NotJson extends Error {
  constructor(what: string, pointer: string) {
    super(pointer === '' ? `it is ${what}` : `at ${pointer} it has ${what}`);
  }
}

/** Where a walk through a value stands. */
interface Walk {
  readonly ancestors: Set<object>;
  /** So many have been read. */
  parts: number;
}

/** The same value with nothing but what `JSON.stringify` keeps. */
function plain(value: unknown, pointer: string, walk: Walk): unknown {
  const { ancestors } = walk;
  walk.parts += 1;
  if (walk.parts > MAX_PARTS) throw new NotJson(`more than ${MAX_PARTS} parts`, pointer);
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value;
    case 'number':
      return Number.isFinite(value) ? value : String(value);
    case 'bigint':
      return value.toString();
    case 'undefined':
      return undefined;
    case 'function':
      throw new NotJson('a function', pointer);
    case 'symbol':
      throw new NotJson('a symbol', pointer);
    case 'object': {
      if (value === null) return null;
      if (ancestors.has(value)) throw new NotJson('a reference back to itself', pointer);
      if (ancestors.size >= MAX_DEPTH) throw new NotJson(`more than ${MAX_DEPTH} levels`, pointer);
      ancestors.add(value);
      const result = plainObject(value, pointer, walk);
      ancestors.delete(value);
      return result;
    }
  }
}

function plainObject(value: object, pointer: string, walk: Walk): unknown {
  const member = (key: string | number, part: unknown): unknown =>
    plain(part, `${pointer}/${escapePointer(String(key))}`, walk);

  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (value instanceof ArrayBuffer) return Buffer.from(value).toString('base64');
  if (value instanceof DataView) {
    const { buffer, byteOffset, byteLength } = value;
    return Buffer.from(buffer, byteOffset, byteLength).toString('base64');
  }
  const unreadable = unreadableKind(value);
  if (unreadable !== undefined) throw new NotJson(unreadable, pointer);
  if ('toJSON' in value && typeof value.toJSON === 'function') {
    return plain(value.toJSON(), pointer, walk);
  }
  if (Array.isArray(value)) return value.map((part, index) => member(index, part) ?? null);
  if (value instanceof Set) return [...value].map((part, index) => member(index, part) ?? null);
  if (value instanceof Map) return plainMap(value, member);
  if (value instanceof Error) return { name: value.name, message: value.message };
  if (value instanceof RegExp) return String(value);
  if (value instanceof Number || value instanceof String || value instanceof Boolean) {
    return plain(value.valueOf(), pointer, walk);
  }
  if (ArrayBuffer.isView(value)) {
    return Array.from(value as unknown as ArrayLike<unknown>, (part, index) => member(index, part));
  }
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, member(key, part)]));
}

function plainMap(
  map: ReadonlyMap<unknown, unknown>,
  member: (key: string | number, part: unknown) => unknown,
): unknown {
  const entries = [...map];
  if (entries.every(([key]) => typeof key === 'string')) {
    return Object.fromEntries(entries.map(([key, part]) => [key, member(String(key), part)]));
  }
  return entries.map(([key, part], index) => [
    member(index, key) ?? null,
    member(index, part) ?? null,
  ]);
}

/** Objects whose data cannot be read by looking at them. */
function unreadableKind(value: object): string | undefined {
  if ('then' in value && typeof value.then === 'function') {
    return 'a promise (is an "await" missing?)';
  }
  const tag = Object.prototype.toString.call(value).slice('[object '.length, -1);
  if (Symbol.asyncIterator in value || tag === 'ReadableStream')
    return 'a stream: return its content';
  if (tag === 'Response' || tag === 'Request' || tag === 'Blob' || tag === 'File') {
    return `a ${tag}: return its content`;
  }
  if (tag.startsWith('Weak')) return `a ${tag}`;
  if (/(?:Generator|Iterator)$/.test(tag)) return 'an iterator: return an array';
  return undefined;
}

function escapePointer(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}
