import { bundleWorkflowCode } from '@temporalio/worker';

const QUIET = {
  trace: () => {},
  debug: () => {},
  info: () => {},
  warn: () => {},
  error: () => {},
  log: () => {},
};

/** Why Temporal's bundler refuses these workflows; `undefined` when it bundles them. */
export async function bundleProblem(workflowsPath: string): Promise<string | undefined> {
  const said: string[] = [];
  const logger = { ...QUIET, error: (message: string) => void said.push(message) };
  try {
    await bundleWorkflowCode({ workflowsPath, logger });
    return undefined;
  } catch (error) {
    return [error instanceof Error ? error.message : String(error), ...said].join('\n');
  }
}
