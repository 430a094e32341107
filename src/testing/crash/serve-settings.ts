import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { PerdureClient } from '../../client/index.ts';
import { workflowBundle } from '../../worker/workflow-bundle.ts';
import type { Serve } from './messages.ts';

/** Of an attempt that no ledger knows: one that had not come to its code when its worker died. */
const HEARTBEAT_TIMEOUT_MS = 10_000;

export interface ServeOptions {
  readonly client: PerdureClient;
  readonly dataDirectory: string;
  readonly handOverEvents?: number;
  readonly heartbeatTimeoutMs?: number;
}

/** What every worker process of a crash test is told; the workflows are bundled once for all. */
export async function serveSettings(options: ServeOptions): Promise<Serve> {
  const { client, dataDirectory, handOverEvents, heartbeatTimeoutMs } = options;
  const bundle = await workflowBundle();
  let workflowBundlePath = 'codePath' in bundle ? bundle.codePath : undefined;
  if ('code' in bundle) {
    await mkdir(dataDirectory, { recursive: true });
    workflowBundlePath = join(dataDirectory, 'workflow-bundle.js');
    await writeFile(workflowBundlePath, bundle.code);
  }
  const { address, namespace, taskQueue } = client;
  return {
    kind: 'serve',
    address,
    namespace,
    taskQueue,
    dataDirectory,
    workflowBundlePath,
    heartbeatTimeoutMs: heartbeatTimeoutMs ?? HEARTBEAT_TIMEOUT_MS,
    handOverEvents,
  };
}
