import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, type WorkerOptions } from '@temporalio/worker';

/** Beside this file in a built package: `npm run build` makes it. */
const PREBUILT = fileURLToPath(new URL('./workflow-bundle.js', import.meta.url));

type WorkflowBundle = NonNullable<WorkerOptions['workflowBundle']>;

let bundled: Promise<WorkflowBundle> | undefined;

/**
 * The workflows as a worker runs them: the bundle that was built with the package, else, in a
 * clone, the source bundled now, once per process (a second or two).
 */
export function workflowBundle(): Promise<WorkflowBundle> {
  bundled ??= existsSync(PREBUILT) ? Promise.resolve({ codePath: PREBUILT }) : bundleWorkflows();
  return bundled;
}

/** Bundles the workflows beside this file, with the payload converter that never throws. */
export async function bundleWorkflows(): Promise<{ readonly code: string }> {
  const { code } = await bundleWorkflowCode({
    workflowsPath: besideThis('workflows/index'),
    payloadConverterPath: besideThis('workflows/payload-converter'),
    logger: QUIET,
  });
  return { code };
}

/** Failures are thrown with webpack's own report; the rest of what the bundler says is noise. */
const QUIET = {
  log: () => {},
  trace: () => {},
  debug: () => {},
  info: () => {},
  warn: () => {},
  error: () => {},
};

/** A module of this package, as source or as built. */
function besideThis(module: string): string {
  const path = fileURLToPath(new URL(`./${module}`, import.meta.url));
  return `${path}${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`;
}
