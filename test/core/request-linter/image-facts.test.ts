import { expect, test } from 'vitest';
import { imageFacts } from '../../../src/core/request-linter/image-facts.ts';

/** Red images of 300 × 5 pixels, as an image library wrote them. */
const IMAGES: readonly (readonly [name: string, mediaType: string, base64: string])[] = [
  [
    'PNG',
    'image/png',
    'iVBORw0KGgoAAAANSUhEUgAAASwAAAAFCAIAAABwy0ZoAAAACXBIWXMAAAPoAAAD6AG1e1JrAAAAOklEQVR4nO3WQQ0AAAgCQPqXxhg8vM0A7kRnmigCBLpbBPoECGR7gwyAAIFYQiEgkM//8L4DRaC/Y3CaTNZwCCUB4QAAAABJRU5ErkJggg==',
  ],
  [
    'GIF',
    'image/gif',
    'R0lGODlhLAEFAIAAAExpcf8AACH5BAUAAAAALAAAAAAsAQUAAAImjI+py+0Po5y02ouz3rz7D4biSJbmiabqyrbuC8fyTNf2jef6VAAAOw==',
  ],
  [
    'JPEG',
    'image/jpeg',
    '/9j/2wBDAFA3PEY8MlBGQUZaVVBfeMiCeG5uePWvuZHI////////////////////////////////////////////////////2wBDAVVaWnhpeOuCguv/////////////////////////////////////////////////////////////////////////wAARCAAFASwDASIAAhEBAxEB/8QAFQABAQAAAAAAAAAAAAAAAAAAAAP/xAAUEAEAAAAAAAAAAAAAAAAAAAAA/8QAFgEBAQEAAAAAAAAAAAAAAAAAAAME/8QAFBEBAAAAAAAAAAAAAAAAAAAAAP/aAAwDAQACEQMRAD8AkAm2AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAP//Z',
  ],
  [
    'lossy WebP',
    'image/webp',
    'UklGRkoAAABXRUJQVlA4ID4AAACwAwCdASosAQUAP5nM4Wo5Mi4ooagDIDMJaQAADHThw4cOHDhugAD+3FH/SXS5Df/6u/O36nu9aTCEAAAAAA==',
  ],
  ['lossless WebP', 'image/webp', 'UklGRhwAAABXRUJQVlA4TA8AAAAvKwEBAAcQ/Y/+ByKi/wEA'],
  [
    'WebP with transparency',
    'image/webp',
    'UklGRm4AAABXRUJQVlA4WAoAAAAQAAAAKwEABAAAQUxQSAoAAAABB1DAiAhERP8DVlA4ID4AAACwAwCdASosAQUAP5nM4Wo5Mi4ooagDIDMJaQAADHThw4cOHDhugAD+3FH/SXS5Df/6u/O36nu9aTCEAAAAAA==',
  ],
];

test.each(IMAGES)('%s is known by its bytes, with its size', (_, mediaType, base64) => {
  expect(imageFacts(base64)).toEqual({ mediaType, width: 300, height: 5 });
});

test('a JPEG’s size is found behind what cameras put before it', () => {
  const bytes = Buffer.from(IMAGES.find(([name]) => name === 'JPEG')?.[2] ?? '', 'base64');
  const length = 60_000;
  const exif = Buffer.alloc(length + 2, 'x');
  exif.writeUInt16BE(0xffe1, 0);
  exif.writeUInt16BE(length, 2);
  const padded = Buffer.concat([
    bytes.subarray(0, 2),
    exif,
    Buffer.from([0xff]),
    bytes.subarray(2),
  ]);
  expect(imageFacts(padded.toString('base64'))).toMatchObject({ width: 300, height: 5 });
});

test('of a JPEG that is cut or broken only the kind is known', () => {
  const unknown = { mediaType: 'image/jpeg', width: 0, height: 0 };
  expect(imageFacts(Buffer.from('ffd8ffe0', 'hex').toString('base64'))).toEqual(unknown);
  const broken = Buffer.from('ffd8ffe00002000000000000000000000000', 'hex');
  expect(imageFacts(broken.toString('base64'))).toEqual(unknown);
});

test('in a JPEG that is padding for megabytes nobody looks for its size to the end', () => {
  const bytes = Buffer.from(IMAGES.find(([name]) => name === 'JPEG')?.[2] ?? '', 'base64');
  const padding = Buffer.alloc(5_000_000, 0xff);
  const padded = Buffer.concat([bytes.subarray(0, 2), padding, bytes.subarray(2)]);
  expect(imageFacts(padded.toString('base64'))).toEqual({
    mediaType: 'image/jpeg',
    width: 0,
    height: 0,
  });
});

test('other bytes are no image', () => {
  expect(imageFacts('')).toBeUndefined();
  expect(imageFacts(Buffer.from('RIFF....WAVE').toString('base64'))).toBeUndefined();
  expect(imageFacts(Buffer.from('<svg/>').toString('base64'))).toBeUndefined();
});
