/**
 * Records the histories that `replay.test.ts` replays: `npm run record-histories`. Run it when a
 * release changes what workflows do, and keep the old files: conversations live for weeks.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client, Connection } from '@temporalio/client';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { DefaultLogger, Runtime } from '@temporalio/worker';
import { PerdureClient } from '../../src/client/index.ts';
import { startEmbeddedServer } from '../../src/embedded-server/embedded-server.ts';
import { startWorker } from '../../src/worker.ts';
import packageJson from '../../package.json' with { type: 'json' };
import { agents, scenarios } from './scenarios.ts';

const FOLDER = fileURLToPath(new URL('histories', import.meta.url));

Runtime.install({ logger: new DefaultLogger('ERROR') });
const dataDir = await mkdtemp(join(tmpdir(), 'perdure-record-'));
const server = await startEmbeddedServer({ dataDirectory: dataDir, headless: true });
const worker = await startWorker(
  { agents, dataDir, taskQueue: 'record' },
  { address: server.address },
  { handOver: { bytes: 3_000_000, events: 100 } },
);
const running = worker.run();
const client = await PerdureClient.connect({ address: server.address, taskQueue: 'record' });
const connection = await Connection.connect({ address: server.address });
const temporal = new Client({ connection });
for (const [name, play] of Object.entries(scenarios)) {
  await play(client, name);
  const runs: string[] = [];
  for await (const { runId: id } of temporal.workflow.list({ query: `WorkflowId = "${name}"` })) {
    runs.unshift(id);
  }
  for (const [index, run] of runs.entries()) {
    const history = await temporal.workflow.getHandle(name, run).fetchHistory();
    const file = `${packageJson.version}-${name}${runs.length > 1 ? `-${index + 1}` : ''}.json`;
    await writeFile(join(FOLDER, file), withoutStacks(historyToJSON(history)));
    console.log(`${file}: ${history.events?.length} events`);
  }
}
worker.shutdown();
await running;
await client.close();
await connection.close();
await server.stop();
await rm(dataDir, { recursive: true, force: true });

/** Stacks name files of the machine that recorded them; replay does not read them. */
function withoutStacks(json: string): string {
  return JSON.stringify(
    JSON.parse(json, (name, value: unknown) => (name === 'stackTrace' ? '' : value)),
    null,
    1,
  );
}
