import { describe, expect, test } from 'vitest';
import type { Part } from '../../../src/core/content.ts';
import { assistant, call, image, png, result, tool, user } from './build-request.ts';
import { linted, mended } from './lint-messages.ts';

describe('images and documents', () => {
  const shown = (part: Part, options = {}) => {
    const [first] = mended([user('x', part)], options);
    return first?.role === 'user' ? first.content[1] : undefined;
  };

  test('the media type follows the bytes', () => {
    const jpeg = Buffer.from('ffd8ffe000104a464946', 'hex').toString('base64');
    expect(shown(image(png(), 'image/jpeg'))).toEqual(image(png(), 'image/png'));
    expect(shown(image(jpeg, 'image/jpg'))).toEqual(image(jpeg, 'image/jpeg'));
  });

  test.each([
    ['no bytes', image(''), 'it has no bytes'],
    ['other bytes', image('aGVsbG8='), 'its bytes are not those of such an image'],
    ['no base64', image('%%%'), 'its bytes are not in base64'],
    [
      'hardly anything but padding',
      image(`${'='.repeat(1_000_000)}x`),
      'its bytes are not in base64',
    ],
    [
      'a blob that was not loaded',
      { type: 'document', mediaType: 'application/pdf', name: 'a.pdf', blob: 'f00d' } as const,
      'blob f00d was not loaded',
    ],
    ['too many pixels', image(png(9_000, 10)), 'it is too large (9000 pixels, at most 8000 here)'],
  ])('words stand for one with %s', (_, part, why) => {
    const replaced = shown(part);
    expect(replaced).toMatchObject({ type: 'text', text: expect.stringContaining(why) });
  });

  test('words stand for what the model does not take, in messages and results', () => {
    const pdf = { type: 'document', mediaType: 'application/pdf', data: 'JVBERi0=' } as const;
    const history = [
      user('look', image(png()), pdf),
      assistant(call('a')),
      tool(result('a', { content: [image(png())] })),
      user('and?'),
    ];
    expect(mended(history)).toBe(history);
    const { messages, rules } = linted(history, { takes: { images: false } });
    expect(rules).toEqual(['untaken-parts', 'untaken-parts']);
    expect(JSON.stringify(messages)).not.toContain(png());
    expect(messages[0]).toEqual(
      user('look', '[image image/png left out: this model takes no images]', pdf),
    );
    expect(mended(history, { takes: { documents: false } })[0]).toEqual(
      user(
        'look',
        image(png()),
        '[document application/pdf left out: this model takes no documents]',
      ),
    );
  });

  test('base64 of another style is made standard', () => {
    const data = png();
    expect(shown(image(`data:image/png;base64,${data}`))).toEqual(image(data));
    const urlStyle = data.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
    expect(shown(image(`${urlStyle.slice(0, 20)}\n${urlStyle.slice(20)}`))).toEqual(image(data));
  });

  test('one that is too many bytes is replaced', () => {
    expect(shown(image(png()), { limits: { imageCharacters: 10 } })).toMatchObject({
      text: expect.stringContaining('at most 10'),
    });
  });

  test('of too many images the oldest go', () => {
    const messages = mended([user(image(png()), image(png()), image(png()))], {
      limits: { images: 2 },
    });
    const [first] = messages;
    const types = first?.role === 'user' ? first.content.map(({ type }) => type) : [];
    expect(types).toEqual(['text', 'image', 'image']);
  });

  test('many images must each be smaller', () => {
    const large = image(png(3_000, 3_000));
    const limits = { manyImages: 2 };
    expect(mended([user(large, large)], { limits })).toEqual([user(large, large)]);
    const [first] = mended([user(large, image(png()), image(png()))], { limits });
    const types = first?.role === 'user' ? first.content.map(({ type }) => type) : [];
    expect(types).toEqual(['text', 'image', 'image']);
  });
});
