import { expect, test } from 'vitest';
import { loadOptionalPackage } from '../../src/core/optional-package.ts';

test('gives the module', async () => {
  const path = await loadOptionalPackage('node:path', 'a test', () => import('node:path'));
  expect(path.sep).toBe('/');
});

test('says which package to install, and what for', async () => {
  await expect(
    loadOptionalPackage('pg', 'the blob store "postgres"', async () => {
      throw Object.assign(new Error('Cannot find package'), { code: 'ERR_MODULE_NOT_FOUND' });
    }),
  ).rejects.toThrow('the blob store "postgres" needs the package "pg": npm install pg');
});

test('passes on any other failure of the package', async () => {
  await expect(
    loadOptionalPackage('pg', 'a test', async () => {
      throw new TypeError('broken');
    }),
  ).rejects.toThrow(TypeError);
});
