// Makes the workflow bundle of the built package, so that its users never meet the bundler.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bundleWorkflows } from '../src/worker/workflow-bundle.ts';

const [directory = 'dist'] = process.argv.slice(2);
const { code } = await bundleWorkflows();
await mkdir(directory, { recursive: true });
await writeFile(join(directory, 'workflow-bundle.js'), code);
