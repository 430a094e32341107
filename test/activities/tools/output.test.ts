import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { isBlobReference } from '../../../src/core/stored.ts';
import { toolOutput } from '../../../src/tools/tool.ts';
import { buildTool, CONVERSATION, Harness, MemoryBlobs, outputOf } from './harness.ts';

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

describe('what a tool returns becomes text', () => {
  const view = new DataView(new TextEncoder().encode('a secret, hi').buffer, 10, 2);
  test.each([
    ['text', 'plain', 'plain'],
    ['empty text', '', ''],
    ['nothing', undefined, 'null'],
    ['null', null, 'null'],
    ['a number', 7, '7'],
    ['false', false, 'false'],
    ['no number', Number.NaN, '"NaN"'],
    ['a big integer', 12345678901234567890n, '"12345678901234567890"'],
    [
      'nested oddities',
      { a: [1n, Number.POSITIVE_INFINITY, undefined], b: undefined },
      '{"a":["1","Infinity",null]}',
    ],
    ['a date', { at: new Date(0) }, '{"at":"1970-01-01T00:00:00.000Z"}'],
    ['a map', new Map([['a', 1]]), '{"a":1}'],
    ['a map with other keys', new Map([[{ id: 1 }, 2]]), '[[{"id":1},2]]'],
    ['a set', new Set([1, 2]), '[1,2]'],
    [
      'an error',
      { error: new RangeError('far') },
      '{"error":{"name":"RangeError","message":"far"}}',
    ],
    ['bytes within', { data: Buffer.from('hi') }, '{"data":"aGk="}'],
    ['a view of a part of bytes', view, '"aGk="'],
    ['numbers in a typed array', new Float64Array([1, 2.5]), '[1,2.5]'],
    [
      'an instance',
      new (class Order {
        id = 7;
        total(): number {
          return 1;
        }
      })(),
      '{"id":7}',
    ],
    ['what JSON escapes', { text: '\u0000\ud800' }, '{"text":"\\u0000\\ud800"}'],
    ['the same part twice', ((part) => [part, part])({ a: 1 }), '[{"a":1},{"a":1}]'],
    ['an own __proto__', JSON.parse('{"__proto__":1}') as unknown, '{"__proto__":1}'],
  ])('%s', async (_, value, text) => {
    expect(await outputOf(() => value)).toMatchObject({ outcome: 'ok', content: text });
  });

  test('a hundred levels deep', async () => {
    const output = await outputOf(() => nested(100));
    expect(output).toMatchObject({ outcome: 'ok', effect: 'happened' });
    expect(output.text).toBe(JSON.stringify(nested(100)));
  });
});

describe('what holds no data is refused, and its effect is said', () => {
  const cyclic: Record<string, unknown> = { order: { id: 7 } };
  (cyclic['order'] as Record<string, unknown>)['self'] = cyclic;
  const many = Array.from({ length: 3 }, () => ({ run: (): number => 1 }));

  test.each([
    ['a cycle', cyclic, 'at /order/self it has a reference back to itself'],
    ['a function', (): number => 1, 'it is a function'],
    ['a function within', { 'a/b': many }, 'at /a~1b/0/run it has a function'],
    ['a symbol', Symbol('s'), 'it is a symbol'],
    [
      'a promise within',
      { user: Promise.resolve(1) },
      'at /user it has a promise (is an "await" missing?)',
    ],
    ['a stream', Readable.from(['a']), 'it is a stream: return its content'],
    ['a response', new Response('x'), 'it is a Response: return its content'],
    ['an iterator', new Map().values(), 'it is an iterator: return an array'],
    ['parts that hold each other again and again', doubled(40), 'more than 2000000 parts'],
    ['ten thousand levels', nested(10_000), 'more than 1000 levels'],
    [
      'a getter that throws',
      {
        get total(): number {
          throw new Error('no connection');
        },
      },
      'it could not be read: no connection',
    ],
  ])('%s', async (_, value, words) => {
    const output = await outputOf(() => value);
    expect(output).toMatchObject({ outcome: 'invalid_output', effect: 'happened' });
    expect(output.text).toContain(words);
    expect(output.text).toContain('Its effect happened all the same; do not repeat it.');
  });
});

describe('text that no model API takes', () => {
  test.each([
    ['a cut surrogate pair', 'a\ud83d', 'a\ufffd'],
    ['NUL', 'a\u0000b', 'a\ufffdb'],
    ['terminal colours', '\u001b[31mred\u001b[0m', 'red'],
    ['DEL and bells', 'a\u0007\u007f', 'a\ufffd\ufffd'],
  ])('%s is made clean, and kept as it was', async (_, raw, clean) => {
    const harness = new Harness(buildTool(() => raw));
    const output = await harness.call();
    expect(output.content).toBe(clean);
    expect(await harness.content(output.original)).toBe(raw);
  });

  test('what JSON does not escape is made clean, and kept as it was', async () => {
    const harness = new Harness(buildTool(() => ({ key: '\u007f' })));
    const output = await harness.call();
    expect(output.content).toBe('{"key":"\ufffd"}');
    expect(await harness.content(output.original)).toEqual({ key: '\u007f' });
  });

  test('line breaks, tabs and emoji are left alone', async () => {
    const text = 'a\n\tb\r\n👩‍👩‍👧 é';
    const output = await outputOf(() => text);
    expect(output.content).toBe(text);
    expect(output).not.toHaveProperty('original');
  });

  test('bytes that are UTF-8 are shown as text', async () => {
    expect(await outputOf(() => Buffer.from('größe'))).toMatchObject({ content: 'größe' });
  });

  test('bytes that are nearly UTF-8 are shown as text, and kept as they were', async () => {
    const bytes = Buffer.concat([Buffer.from('a long line of text, '), Buffer.from([0xff])]);
    const harness = new Harness(buildTool(() => bytes));
    const output = await harness.call();
    expect(output.content).toBe('a long line of text, \ufffd');
    expect(await harness.blobs.get(CONVERSATION, output.original?.blob ?? '')).toEqual(bytes);
  });

  test('other bytes are named, not shown, and kept as they were', async () => {
    const bytes = Buffer.from(Array.from({ length: 300 }, (_, n) => n % 256));
    const harness = new Harness(buildTool(() => bytes));
    const output = await harness.call();
    expect(output.content).toBe('[Binary data of 300 bytes, not shown.]');
    expect(await harness.blobs.get(CONVERSATION, output.original?.blob ?? '')).toEqual(bytes);
  });
});

describe('images and documents', () => {
  test('bytes of an image become an image part', async () => {
    const output = await outputOf(() => PNG);
    expect(output.content).toEqual([
      { type: 'image', mediaType: 'image/png', data: PNG.toString('base64') },
    ]);
    expect(output.tokens).toBe(1_600);
  });

  test('a part has the type that its bytes have, whatever the tool says', async () => {
    const data = PNG.toString('base64');
    const output = await outputOf(() =>
      toolOutput('a picture', {
        content: [
          { type: 'text', text: 'here' },
          { type: 'image', mediaType: 'image/jpeg', data },
        ],
      }),
    );
    expect(output.content).toEqual([
      { type: 'text', text: 'here' },
      { type: 'image', mediaType: 'image/png', data },
    ]);
  });

  test('what no model takes becomes a line of text, and is kept', async () => {
    const harness = new Harness(
      buildTool(() =>
        toolOutput('x', {
          content: [
            {
              type: 'image',
              mediaType: 'image/png',
              data: Buffer.from('no image').toString('base64'),
            },
            {
              type: 'document',
              mediaType: 'text/csv',
              name: 'a.csv',
              data: Buffer.from('a,b').toString('base64'),
            },
          ],
        }),
      ),
    );
    const output = await harness.call();
    expect(output.content).toEqual([
      {
        type: 'text',
        text: '[The image (image/png) is left out: its bytes are of no type that models take.]',
      },
      { type: 'text', text: 'a,b' },
    ]);
    expect(await harness.text(output.original as never)).toContain(
      Buffer.from('no image').toString('base64'),
    );
  });

  test('an image too large for history becomes a blob of its own bytes', async () => {
    const image = Buffer.concat([PNG, Buffer.alloc(60_000)]);
    const harness = new Harness(buildTool(() => image));
    const output = await harness.call();
    const blob = createHash('sha256').update(image).digest('hex');
    expect(output.content).toEqual([{ type: 'image', mediaType: 'image/png', blob }]);
    expect(await harness.blobs.get(CONVERSATION, blob)).toEqual(image);
  });

  test('one above 5 MB is left out', async () => {
    const output = await outputOf(() =>
      toolOutput('x', {
        content: [
          {
            type: 'image',
            mediaType: 'image/png',
            data: Buffer.concat([PNG, Buffer.alloc(6_000_000)]).toString('base64'),
          },
        ],
      }),
    );
    expect(output.text).toMatch(/The image \(image\/png\) is left out: it has 60\d+ bytes/);
  });

  test.each([
    ['image/png', PNG],
    ['application/pdf', Buffer.from('%PDF-1.7')],
  ])('bytes of %s above 5 MB are named, not shown, and kept', async (mediaType, head) => {
    const bytes = Buffer.concat([head, Buffer.alloc(6_000_000)]);
    const harness = new Harness(buildTool(() => bytes));
    const output = await harness.call();
    expect(output.content).toBe(`[${mediaType} of ${bytes.length} bytes, too large to be shown.]`);
    const blob = createHash('sha256').update(bytes).digest('hex');
    expect(output.original).toMatchObject({ blob, size: bytes.length });
    expect(await harness.blobs.has(CONVERSATION, blob)).toBe(true);
  });

  test('the twenty-first is left out', async () => {
    const part = { type: 'image', mediaType: 'image/png', data: PNG.toString('base64') } as const;
    const output = await outputOf(() => toolOutput('x', { content: Array(21).fill(part) }));
    expect(output.text.match(/there are too many/g)).toHaveLength(1);
  });

  test('content that is no list of parts is refused', async () => {
    const output = await outputOf(() => toolOutput('x', { content: [{ type: 'audio' }] as never }));
    expect(output).toMatchObject({ outcome: 'invalid_output', effect: 'happened' });
    expect(output.text).toContain('part 0 of its content is no part');
  });
});

describe('output that is too large', () => {
  test('20 MB are cut for the model and kept whole', async () => {
    const text = 'x'.repeat(20_000_000);
    const harness = new Harness(buildTool(() => text, { effect: 'read' }));
    const output = await harness.call();
    expect(await harness.content(output.content)).toBe(text);
    expect(output.original).toEqual(output.content);
    expect(output.size).toBe(20_000_000);
    expect(output.shownAs).toBe(
      `${'x'.repeat(20_000)}\n[The first 20000 of 20000000 characters are shown, 19980000 are left out. ` +
        'To read on, call the tool again for a later or a smaller part.]',
    );
    expect(JSON.stringify(output).length).toBeLessThan(22_000);
    expect(output.tokens).toBeLessThan(6_400);
  });

  test('what was not only read must not be repeated to read on', async () => {
    const output = await outputOf(() => 'x'.repeat(30_000), { effect: 'once' });
    expect(output.text).toContain('do not repeat the call to see it');
  });

  test('the cut never splits a character', async () => {
    for (const character of ['😀', '👩‍👩‍👧', 'e\u0301', '🇫🇷']) {
      for (let offset = 0; offset < character.length; offset++) {
        const output = await outputOf(() => 'x'.repeat(offset) + character.repeat(50), {
          maxResultChars: 20,
        });
        const [shown = ''] = output.text.split('\n');
        const rest = shown.slice(offset);
        expect(rest).toBe(character.repeat(rest.length / character.length));
        expect(shown.length).toBeGreaterThan(20 - character.length);
      }
    }
  });

  test('content over the inline limit goes to the store, with a preview', async () => {
    const text = 'é'.repeat(20_000);
    const harness = new Harness(buildTool(() => text));
    const output = await harness.call();
    expect(output).not.toHaveProperty('shownAs');
    expect(isBlobReference(output.content)).toBe(true);
    expect(output.content).toMatchObject({ preview: `${'é'.repeat(199)}…` });
    expect(await harness.content(output.content)).toBe(text);
  });

  test('parts share the limit, other parts stay', async () => {
    const output = await outputOf(
      () =>
        toolOutput('x', {
          content: [
            { type: 'text', text: 'a'.repeat(15) },
            { type: 'image', mediaType: 'image/png', data: PNG.toString('base64') },
            { type: 'text', text: 'b'.repeat(15) },
          ],
        }),
      { maxResultChars: 20 },
    );
    expect(output.shownAs).toMatchObject([
      { text: 'a'.repeat(15) },
      { type: 'image' },
      { text: 'b'.repeat(5) },
      { text: expect.stringContaining('[The first 20 of 30 characters are shown') as unknown },
    ]);
  });
});

describe('a call whose arguments a person changed', () => {
  const edited = { originalDigest: 'd', by: { id: 'ada' } };

  test('says so to the model in its last line', async () => {
    const harness = new Harness(buildTool(() => 'done'));
    const output = await harness.call({ edited });
    expect(output.content).toBe('done');
    expect(output.shownAs).toBe(
      'done\n[A person changed the arguments of this call before it ran.]',
    );
  });

  test('also when it failed, and when it was cut', async () => {
    const failing = new Harness(buildTool(() => Promise.reject(new Error('no'))));
    expect((await failing.call({ edited })).shownAs).toMatch(/before it ran\.\]$/);
    const long = new Harness(buildTool(() => 'x'.repeat(30_000)));
    expect((await long.call({ edited })).shownAs).toMatch(
      /see it\.\]\n\[A person changed .*ran\.\]$/,
    );
  });
});

describe('a blob store that fails after the tool ran', () => {
  test('is asked again', async () => {
    const blobs = new MemoryBlobs(2);
    const harness = new Harness(
      buildTool(() => 'é'.repeat(20_000)),
      { blobs },
    );
    const output = await harness.call();
    expect(output.outcome).toBe('ok');
    expect(await harness.content(output.content)).toBe('é'.repeat(20_000));
    expect(blobs.failures).toBe(2);
  });
});

/** So many levels, each of which holds the next one twice. */
function doubled(levels: number): unknown {
  let value: unknown = 'end';
  for (let n = 0; n < levels; n++) value = [value, value];
  return value;
}

function nested(levels: number): unknown {
  let value: unknown = 'bottom';
  for (let level = 0; level < levels; level++) value = { in: value };
  return value;
}
