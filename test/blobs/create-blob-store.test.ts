import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { createBlobStore, type BlobStoreSettings } from '../../src/blobs/create-blob-store.ts';

const settings: readonly BlobStoreSettings[] = [
  { kind: 'file', directory: 'somewhere' },
  { kind: 'postgres', connectionString: 'postgres://127.0.0.1:1/x' },
  { kind: 's3', bucket: 'b' },
];

test.each(settings)('makes a store of kind $kind', async (each) => {
  const store = createBlobStore(each);
  expect(store.kind).toBe(each.kind);
  await store.close();
});

test('an unknown kind is refused, naming those that are known', () => {
  const unknown: BlobStoreSettings = JSON.parse('{"kind":"floppy"}');
  expect(() => createBlobStore(unknown)).toThrow(
    'expected a blob store of kind "file", "postgres" or "s3", got "floppy"',
  );
});

test('a store of files loads no package of another kind', () => {
  const factory = new URL('../../src/blobs/create-blob-store.ts', import.meta.url);
  const program = `
    import { register } from 'node:module';
    const loads = 'export function load(url, context, next) { console.log(url); return next(url, context); }';
    register('data:text/javascript,' + encodeURIComponent(loads));
    const { createBlobStore } = await import(${JSON.stringify(factory.href)});
    createBlobStore({ kind: 'file', directory: 'somewhere' });
  `;
  const { stdout, stderr } = spawnSync(
    process.execPath,
    ['--import', 'tsx', '--input-type=module', '-e', program],
    { cwd: fileURLToPath(new URL('../..', import.meta.url)), encoding: 'utf8' },
  );
  expect(stdout, stderr).toContain('blobs/file.ts');
  expect(stdout).not.toMatch(/node_modules\/(pg|@aws-sdk|ioredis)\//);
});
