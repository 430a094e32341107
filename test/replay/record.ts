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
import { agents, keptScenarios, scenarios } from './scenarios.ts';

const FOLDER = fileURLToPath(new URL('histories', import.meta.url));

Runtime.install({ logger: new DefaultLogger('ERROR') });
const dataDir = await mkdtemp(join(tmpdir(), 'perdure-record-'));
const server = await startEmbeddedServer({ dataDirectory: dataDir, headless: true });
const connection = await Connection.connect({ address: server.address });
const temporal = new Client({ connection });
await record('record', scenarios, {});
await record('record-kept', keptScenarios, { keepTranscripts: true });
await connection.close();
await server.stop();
await rm(dataDir, { recursive: true, force: true });

async function record(
  taskQueue: string,
  played: typeof scenarios,
  settings: { readonly keepTranscripts?: boolean },
): Promise<void> {
  const worker = await startWorker(
    { agents, dataDir, taskQueue, ...settings },
    { address: server.address },
    { handOver: { bytes: 3_000_000, events: 100 } },
  );
  const running = worker.run();
  const client = await PerdureClient.connect({ address: server.address, taskQueue });
  for (const [name, play] of Object.entries(played)) {
    await play(client, name);
    await writeRuns(name);
  }
  worker.shutdown();
  await running;
  await client.close();
}

async function writeRuns(name: string): Promise<void> {
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

/** Stacks name files of the machine that recorded them; replay does not read them. */
function withoutStacks(json: string): string {
  return JSON.stringify(
    JSON.parse(json, (name, value: unknown) => (name === 'stackTrace' ? '' : value)),
    null,
    1,
  );
}
