import { join } from 'node:path';
import { expect, test } from 'vitest';
import { bundleProblem } from './bundle-problem.ts';
import { repository } from './scratch-project.ts';

test("Temporal's bundler finds nothing in the workflows that needs Node", async () => {
  expect(await bundleProblem(join(repository, 'src/workflows/index.ts'))).toBeUndefined();
});
