// Makes what is published: compiled modules, the data files beside them, and the workflow bundle,
// so that users of the package never meet the bundler. The argument is the folder, default `dist`.
import { spawnSync } from 'node:child_process';
import { cp, rm, writeFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleWorkflows } from '../src/worker/workflow-bundle.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const directory = resolve(process.argv[2] ?? 'dist');

await rm(directory, { recursive: true, force: true });
compile();
await cp(join(root, 'src'), directory, { recursive: true, filter: isFolderOrData });
const { code } = await bundleWorkflows();
await writeFile(join(directory, 'workflow-bundle.js'), code);

function compile(): void {
  const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  const args = [compiler, '-p', 'tsconfig.build.json', '--outDir', directory];
  const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' });
  if (status !== 0) process.exit(1);
}

function isFolderOrData(path: string): boolean {
  const name = basename(path);
  return !name.includes('.') || (name.endsWith('.json') && name !== 'tsconfig.json');
}
