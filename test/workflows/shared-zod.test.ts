import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import * as z from 'zod/mini';
import '../../src/workflows/shared-zod.ts';

/** As the sandbox does with what is loaded before the workflows. */
function freeze(value: unknown, seen: WeakSet<object>): void {
  const isObject = (typeof value === 'object' && value !== null) || typeof value === 'function';
  if (!isObject || seen.has(value)) return;
  seen.add(value);
  for (const key of Reflect.ownKeys(value)) {
    const { value: member } = Object.getOwnPropertyDescriptor(value, key) ?? {};
    freeze(member, seen);
  }
  // Modules of Node's own kind cannot be frozen, and need not be.
  if (Object.prototype.toString.call(value) !== '[object Module]') Object.freeze(value);
}

beforeAll(() => {
  const globals = [Object, Function, Error, Array, Map, Set, WeakMap, RegExp, Date, Promise, URL];
  const seen = new WeakSet<object>(globals.flatMap((type) => [type, type.prototype]));
  freeze(z, seen);
});

test('zod is frozen in this file, as it is in the sandbox', () => {
  expect(Object.isFrozen(z.ZodMiniString.prototype)).toBe(true);
  expect(Object.isFrozen(z.core.util.allowsEval)).toBe(true);
});

test('schemas that are made with a frozen zod judge whatever comes', async () => {
  // After it was frozen, so that nothing rests on a schema that was made before.
  const modules = await Promise.all([
    import('../../src/core/start.ts'),
    import('../../src/core/message.ts'),
    import('../../src/core/verdict.ts'),
    import('../../src/core/revoke-rule.ts'),
  ]);
  const { parse } = await import('../../src/core/parse.ts');
  const schemas = modules.flatMap((module) =>
    Object.entries(module).flatMap(([name, schema]) =>
      name.endsWith('Schema') ? [schema as () => z.ZodMiniType] : [],
    ),
  );
  expect(schemas.length).toBeGreaterThan(5);
  const fields = ['message', 'content', 'by', 'key', 'callId', 'decision', 'input', 'limits'];
  const others = ['tags', 'context', 'mode', 'remember', 'quorum', 'id', 'when'];
  const durations = ['idleTimeout', 'approvalTimeout', 'deadline'];
  const anything = fc.oneof(
    fc.anything(),
    fc.jsonValue(),
    fc.dictionary(
      fc.constantFrom(...fields, ...others, ...durations),
      fc.oneof(
        fc.jsonValue(),
        fc.constantFrom('', 'approve', 'deny', 'chat', 'steer', '1 day', ['a'], { id: 'a' }),
        fc.array(fc.record({ type: fc.constantFrom('text', 'image'), text: fc.string() })),
      ),
    ),
  );
  fc.assert(
    fc.property(anything, fc.constantFrom(...schemas), (value, schema) => {
      const parsed = parse(schema, value);
      expect('value' in parsed || parsed.problems.length > 0).toBe(true);
    }),
    { numRuns: 3_000 },
  );
});
