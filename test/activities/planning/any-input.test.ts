import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CATEGORIES } from '../../../src/core/outcome.ts';
import type { Json } from '../../../src/core/json.ts';
import type { ToolCallBlock } from '../../../src/core/model-request.ts';
import { isBlobReference } from '../../../src/core/stored.ts';
import { setting } from './setting.ts';
import { shopTools } from './shop-tools.ts';

const name = fc.oneof(
  fc.constantFrom('find_order', 'refund', 'audit_books', '__proto__', 'constructor', ''),
  fc.string({ unit: 'binary' }),
);
const anyInput = fc.oneof(
  fc.jsonValue() as fc.Arbitrary<Json>,
  fc.record({ id: fc.string({ unit: 'binary' }), cents: fc.double(), lines: fc.integer() }),
  fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue()) as fc.Arbitrary<Json>,
  fc.constantFrom<Json>('\udc00', { id: '\ud800' }, { ['\ud800']: 1 }, { id: 'A', cents: 1e300 }),
);
const block: fc.Arbitrary<ToolCallBlock> = fc.record(
  {
    type: fc.constant('tool_call' as const),
    id: fc.constantFrom('call_1', 'call_2', ''),
    name,
    input: anyInput,
    malformed: fc.string(),
  },
  { requiredKeys: ['type', 'id', 'name', 'input'] },
);

describe('whatever a model sends', () => {
  it('every call is planned once, in order, with a key of its own, as bounded JSON', async () => {
    const { plan } = await setting({ tools: shopTools });
    const blocks = fc.array(block, { maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(blocks, async (calls) => {
        const planned = await plan(calls);
        expect(planned.map(({ index }) => index)).toEqual(calls.map((_, index) => index));
        expect(planned.map(({ callId }) => callId)).toEqual(calls.map(({ id }) => id));
        expect(new Set(planned.map(({ key }) => key)).size).toBe(calls.length);
        const json = JSON.stringify(planned);
        expect(JSON.stringify(JSON.parse(json))).toBe(json);
        for (const [n, one] of planned.entries()) {
          expect(one.summary.length).toBeLessThanOrEqual(200);
          expect(one.summary).not.toMatch(/\n|\p{Cs}/u);
          if (typeof one.verdict === 'object') {
            expect(CATEGORIES).toContain(one.verdict.settled.outcome);
            expect(one.verdict.settled.effect).toBe('none');
          } else {
            expect(one.verdict).toBe('run');
            expect(isBlobReference(one.input) || one.input === calls[n]?.input).toBe(true);
          }
        }
      }),
      { numRuns: 300 },
    );
  });
});
