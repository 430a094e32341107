import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { startEmbeddedServer } from '../../src/embedded-server/embedded-server.ts';
import { freePort } from '../../src/embedded-server/free-port.ts';
import { bundleWorkflows } from '../../src/worker/workflow-bundle.ts';
import { compileTree } from './compile-tree.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** `host:port` of a real Temporal server with our search attributes; namespace `default`. */
    temporalAddress: string;
    /** Of the same server's HTTP API. */
    temporalHttpPort: number;
    /** The workflow zone as it is in this tree, bundled once for all workers of the tests. */
    workflowBundlePath: string;
    /** Folder of this tree as JavaScript, for worker processes. */
    compiledPath: string;
  }
}

/** One embedded server for all test files of the project, with its database in a scratch directory. */
export default async function startServer(project: TestProject): Promise<() => Promise<void>> {
  const dataDirectory = await mkdtemp(join(tmpdir(), 'perdure-test-'));
  const httpPort = await freePort();
  const [server, compiled, bundle] = await Promise.all([
    startEmbeddedServer({ dataDirectory, headless: true, httpPort }),
    compileTree(),
    bundleWorkflows(),
  ]);
  project.provide('temporalAddress', server.address);
  project.provide('temporalHttpPort', httpPort);
  const bundlePath = join(dataDirectory, 'workflow-bundle.js');
  await writeFile(bundlePath, bundle.code);
  project.provide('workflowBundlePath', bundlePath);
  project.provide('compiledPath', compiled.path);
  return async () => {
    await server.stop();
    await compiled.remove();
    await rm(dataDirectory, { recursive: true, force: true });
  };
}
