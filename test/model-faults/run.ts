import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { DefaultLogger, Runtime } from '@temporalio/worker';
import { startEmbeddedServer } from '../../src/embedded-server/embedded-server.ts';
import { bundleWorkflows } from '../../src/worker/workflow-bundle.ts';
import { modelFaultStorm } from './storm.ts';

/** `npm run model-faults -- --runs 200 --steps 10 --share 0.3 --seed 7`: prints the table, fails on any problem. */
const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '200' },
    steps: { type: 'string', default: '10' },
    share: { type: 'string', default: '0.3' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 1_000_000)) },
    'at-once': { type: 'string', default: '20' },
  },
});
Runtime.install({ logger: new DefaultLogger('ERROR') });
const dataDirectory = await mkdtemp(join(tmpdir(), 'perdure-model-faults-'));
const server = await startEmbeddedServer({ dataDirectory, headless: true });
const workflowBundlePath = join(dataDirectory, 'workflow-bundle.js');
await writeFile(workflowBundlePath, (await bundleWorkflows()).code);
// The worker would end by itself, and its conversations wait for ever.
process.once('SIGINT', () => process.exit(130));
const began = Date.now();
const seconds = () => ((Date.now() - began) / 1_000).toFixed(0);
try {
  const report = await modelFaultStorm({
    address: server.address,
    workflowBundlePath,
    dataDirectory,
    conversations: Number(values.runs),
    steps: Number(values.steps),
    share: Number(values.share),
    seed: Number(values.seed),
    atOnce: Number(values['at-once']),
    idleTimeoutMs: 5_000,
    log: (line) => console.log(`${seconds()} s: ${line}`),
  });
  console.log(`\n${report.table}\n\n${report.problems.join('\n')}`);
  console.log(`${report.problems.length} problems, seed ${values.seed}, ${seconds()} s`);
  process.exitCode = report.problems.length === 0 ? 0 : 1;
} finally {
  await server.stop();
  await rm(dataDirectory, { recursive: true, force: true });
}
