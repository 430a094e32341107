import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { bundleWorkflows } from '../../src/worker/workflow-bundle.ts';
import { repository } from './scratch-project.ts';

const core = join(repository, 'src/core');
const modules = (await readdir(core, { recursive: true })).filter((name) => name.endsWith('.ts'));

test('every module of core is loaded once for all workflows of a thread', async () => {
  const { code } = await bundleWorkflows();
  const preloaded = /exports\.preloadModules = function preloadModules\(\) \{(.*?)\n\}/s.exec(code);
  const missing = modules.filter((name) => preloaded?.[1]?.includes(`/core/${name}`) !== true);
  expect(missing).toEqual([]);
});

test('no module of core has a variable that a workflow could leave to the next', async () => {
  const sources = modules.map(async (name) => [name, await readFile(join(core, name), 'utf8')]);
  const found = (await Promise.all(sources)).filter(([, text = '']) =>
    /^(export )?let /m.test(text),
  );
  expect(found.map(([name]) => name)).toEqual([]);
});

test('no module of core hands out a schema that the sandbox would freeze', async () => {
  const exported = modules.map(async (name) => {
    const module = (await import(join(core, name))) as Record<string, unknown>;
    return Object.entries(module).map(([key, value]) => ({ name, key, value }));
  });
  const schemas = (await Promise.all(exported))
    .flat()
    .filter(({ value }) => typeof value === 'object' && value !== null && '_zod' in value);
  expect(schemas.map(({ name, key }) => `${name}: ${key}`)).toEqual([]);
});
