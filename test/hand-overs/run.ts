import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startEmbeddedServer } from '../../src/embedded-server/embedded-server.ts';
import { bundleWorkflows } from '../../src/worker/workflow-bundle.ts';
import { compileTree } from '../support/compile-tree.ts';
import { handOverStorm } from './storm.ts';

/** `npm run hand-overs -- --hand-overs 200 --kills 20`: prints what became of it, fails on any problem. */
const { values } = parseArgs({
  options: {
    'hand-overs': { type: 'string', default: '200' },
    kills: { type: 'string', default: '20' },
  },
});
const directory = await mkdtemp(join(tmpdir(), 'perdure-hand-overs-'));
const server = await startEmbeddedServer({ dataDirectory: directory, headless: true });
const workflowBundlePath = join(directory, 'workflow-bundle.js');
await writeFile(workflowBundlePath, (await bundleWorkflows()).code);
const compiled = await compileTree();
const began = Date.now();
const seconds = () => ((Date.now() - began) / 1000).toFixed(0);
try {
  const report = await handOverStorm({
    server: { address: server.address, workflowBundlePath, compiledPath: compiled.path },
    dataDirectory: directory,
    handOvers: Number(values['hand-overs']),
    kills: Number(values.kills),
    log: (line) => console.log(`${seconds()} s: ${line}`),
  });
  console.log(`${seconds()} s`, report);
  process.exitCode = report.problems.length === 0 ? 0 : 1;
} finally {
  await server.stop();
  await compiled.remove();
  await rm(directory, { recursive: true, force: true });
}
