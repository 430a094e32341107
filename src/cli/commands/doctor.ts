import type { Command } from 'commander';
import type { PerdureClient } from '../../client/perdure-client.ts';
import type { PerdureConfig } from '../../define-config.ts';
import { agentsFilePath, loadAgentsFile } from '../agents-file.ts';
import { CliError } from '../cli-error.ts';
import { checkBlobs } from '../doctor/check-blobs.ts';
import { checkModelQueues } from '../doctor/check-model-queues.ts';
import { checkModels } from '../doctor/check-models.ts';
import { EXIT } from '../exit-codes.ts';
import { checkCli } from '../doctor/check-cli.ts';
import { checkPollRate } from '../doctor/check-poll-rate.ts';
import { checkSearchAttributes } from '../doctor/check-search-attributes.ts';
import { checkStuck } from '../doctor/check-stuck.ts';
import { checkWorkers } from '../doctor/check-workers.ts';
import type { Finding } from '../doctor/finding.ts';
import { bold, dim, printer, tinted } from '../print.ts';
import { oneLine } from '../report-error.ts';
import { serverCommand, type ServerOptions } from '../server-command.ts';
import { settingsHere } from '../settings-here.ts';
import { waitWithSpinner } from '../wait-with-spinner.ts';
import { openClient } from '../with-client.ts';

interface Options extends ServerOptions {
  readonly fix: boolean;
}

export function doctorCommand(): Command {
  return serverCommand('doctor')
    .description('look for what is wrong with the set-up, and say how to mend it')
    .argument(
      '[file]',
      'agents file, to try its models (default: perdure.config.ts, if it is here)',
    )
    .option('--fix', 'register what lacks at the server', false)
    .action(async (file: string | undefined, options: Options) => {
      const print = printer(options.json);
      const findings: Finding[] = [];
      const say = (finding: Finding) => {
        findings.push(finding);
        print.text(line(finding));
      };
      say(await waitWithSpinner('Temporal CLI', checkCli()));
      await checkServer(options, say);
      await checkSettings(options, file, say);
      await checkAgents(file, options, say);
      print.data(findings);
      if (findings.some(({ verdict }) => verdict === 'bad')) process.exitCode = EXIT.failed;
    });
}

async function checkServer(options: Options, say: (finding: Finding) => void): Promise<void> {
  let client: PerdureClient;
  try {
    client = await openClient(options);
  } catch (error) {
    say({ check: 'server', verdict: 'bad', detail: oneLine(error), mend: 'perdure dev' });
    return;
  }
  try {
    const { connection } = client.temporal;
    const { address, namespace } = client;
    const { serverVersion } = await client.temporal.workflowService.getSystemInfo({});
    say({
      check: 'server',
      verdict: 'ok',
      detail: `${address}, namespace "${namespace}", version ${serverVersion ?? 'unknown'}`,
    });
    say(await checkSearchAttributes(connection, namespace, options.fix));
    say(await waitWithSpinner('Measuring', checkPollRate(connection, namespace)));
    say(await checkWorkers(client));
    say(await checkStuck(client));
  } finally {
    await client.close();
  }
}

/** The stores of the agents file; where it cannot be loaded, which is said below, the environment's. */
async function checkSettings(
  options: Options,
  file: string | undefined,
  say: (finding: Finding) => void,
): Promise<void> {
  const inFile = { ...options, ...(file === undefined ? {} : { config: file }) };
  const settings = await settingsHere(inFile).catch((error: unknown) => {
    if (!(error instanceof CliError)) throw error;
    return settingsHere({ ...options, config: false });
  });
  try {
    say(await waitWithSpinner('Blob store', checkBlobs(settings)));
  } finally {
    await settings.blobs.close();
    await settings.events.close();
  }
}

async function checkAgents(
  file: string | undefined,
  options: Options,
  say: (finding: Finding) => void,
): Promise<void> {
  try {
    const { path, config } = await loadAgentsFile(agentsFilePath(file));
    say({ check: 'agents', verdict: 'ok', detail: `${config.agents.length} in ${path}` });
    const findings = await waitWithSpinner('Asking the models', checkModels(config));
    for (const finding of findings) say(finding);
    if (config.models !== undefined) await checkQueues(options, config, say);
  } catch (error) {
    const verdict = file === undefined ? 'skipped' : 'bad';
    say({ check: 'agents', verdict, detail: oneLine(error) });
  }
}

async function checkQueues(
  options: Options,
  config: PerdureConfig,
  say: (finding: Finding) => void,
): Promise<void> {
  const client = await openClient(options);
  try {
    for (const finding of await checkModelQueues(client, config)) say(finding);
  } finally {
    await client.close();
  }
}

function line({ check, verdict, detail, mend }: Finding): string {
  const tints = { ok: 'ok', warning: 'waiting', bad: 'bad', skipped: 'plain' } as const;
  const words = `${tinted(tints[verdict], verdict.padEnd(7))}  ${bold(check)}: ${detail}`;
  return mend === undefined ? words : `${words}\n${' '.repeat(9)}${dim('→')} ${mend}`;
}
