import { access, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, type WorkflowBundleOption } from '@temporalio/worker';

const BUILT = fileURLToPath(new URL('../workflow-bundle.js', import.meta.url));
const SOURCE = fileURLToPath(new URL('../workflows', import.meta.url));
const CORE = fileURLToPath(new URL('../core', import.meta.url));

/** Extension of this very file: `.ts` in development, `.js` in the package. */
const EXTENSION = import.meta.url.endsWith('.ts') ? 'ts' : 'js';

let bundled: Promise<WorkflowBundleOption> | undefined;

/**
 * The workflow code for a worker: the bundle that the package brings, or in development one made
 * from source, once per process.
 */
export function workflowBundle(): Promise<WorkflowBundleOption> {
  bundled ??= findOrBundle();
  return bundled;
}

async function findOrBundle(): Promise<WorkflowBundleOption> {
  const isBuilt = await access(BUILT).then(
    () => true,
    () => false,
  );
  return isBuilt ? { codePath: BUILT } : bundleWorkflows();
}

/** Bundles the workflow zone with Temporal's own bundler. */
export async function bundleWorkflows(): Promise<{ readonly code: string }> {
  const { code } = await bundleWorkflowCode({
    webpackConfigHook: (config) => ({ ...config, devtool: false }),
    workflowsPath: `${SOURCE}/index.${EXTENSION}`,
    workflowInterceptorModules: [`${SOURCE}/ahead-of-history.${EXTENSION}`],
    // Only the sandbox reads what foreign senders sent: activities' inputs are ours.
    payloadConverterPath: `${SOURCE}/payload-converter.${EXTENSION}`,
    preloadModules: [`${SOURCE}/shared-zod.${EXTENSION}`, ...(await coreModules())],
    logger: SILENT,
  });
  const map = Buffer.from(JSON.stringify(mapOfLines(code))).toString('base64');
  return { code: `${code}\n//# sourceMappingURL=data:application/json;base64,${map}` };
}

/**
 * Core is pure, so that its modules can be loaded once for all workflows of a thread: each workflow would
 * make its own otherwise, in its first task.
 */
async function coreModules(): Promise<string[]> {
  const names = await readdir(CORE, { recursive: true });
  const modules = names.filter((name) => name.endsWith(`.${EXTENSION}`)).toSorted();
  return modules.map((name) => join(CORE, name));
}

/**
 * Each line is its own source. The SDK looks up every frame of the stacks that it records, one for every
 * promise; columns and the lines of the sources would cost a fifth of the workflows' CPU.
 */
function mapOfLines(code: string) {
  const file = 'workflow-bundle.js';
  // The first line is line 0 of the source; each line after it is one further.
  const mappings = code.split('\n').map((_, line) => (line === 0 ? 'AAAA' : 'AACA'));
  return { version: 3, file, sources: [file], names: [], mappings: mappings.join(';') };
}

/** The bundler reports each module it reads; what goes wrong it throws. */
const SILENT = {
  log() {},
  trace() {},
  debug() {},
  info() {},
  warn() {},
  error() {},
};
