import { type Command, InvalidArgumentError } from 'commander';
import { agentsFilePath } from '../agents-file.ts';
import { dataDirectoryOf } from '../data-directory.ts';
import { type DevSession, startDevSession } from '../dev/dev-session.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { bold, dim, printer } from '../print.ts';
import { type CommonOptions, dataDirectoryOption, plainCommand } from '../server-command.ts';
import { waitWithSpinner } from '../wait-with-spinner.ts';

interface Options extends CommonOptions {
  readonly dataDir?: string;
  readonly port?: number;
  readonly uiPort?: number;
  readonly httpPort?: number;
  readonly namespace?: string;
  readonly taskQueue?: string;
}

export function devCommand(): Command {
  return plainCommand('dev')
    .description('run a Temporal server and a worker here; the worker restarts when a file changes')
    .argument('[file]', 'agents file (default: perdure.config.ts)')
    .addOption(dataDirectoryOption())
    .option('--port <n>', 'port of the server (default: 7233, or a free one)', port)
    .option('--ui-port <n>', 'port of the Temporal UI (default: 8233, or a free one)', port)
    .option(
      '--http-port <n>',
      'port of Temporal’s HTTP API (default: one that nobody is told)',
      port,
    )
    .option('--namespace <name>', 'Temporal namespace (default: "default")')
    .option('--task-queue <name>', 'where the worker listens (default: "perdure")')
    .action(async (file: string | undefined, options: Options) => {
      const print = printer(options.json);
      const startedAt = Date.now();
      const starting = start(agentsFilePath(file), options, print.note);
      const session = await waitWithSpinner('Starting the server and the worker', starting);
      const { address, uiAddress, namespace, pid } = session.server;
      print.data({ address, uiAddress, namespace, pid, agents: session.agents });
      print.text(`${bold('server')}  ${address}  ${dim(`data in ${dataDirectoryOf(options)}`)}`);
      print.text(`${bold('UI')}      ${uiAddress ?? 'none'}`);
      print.text(`${bold('agents')}  ${session.agents.join(', ')}`);
      print.text(
        `ready in ${((Date.now() - startedAt) / 1000).toFixed(1)} s. Next, in another terminal:`,
      );
      print.text(`  perdure run ${session.agents[0] ?? '<agent>'} "…"`);
      process.exitCode = await untilInterrupted(session);
    });
}

async function start(
  agentsFile: string,
  options: Options,
  log: (line: string) => void,
): Promise<DevSession> {
  const { port, uiPort, httpPort, namespace, taskQueue, debug } = options;
  return startDevSession({
    agentsFile,
    dataDirectory: dataDirectoryOf(options),
    port,
    uiPort,
    httpPort,
    namespace,
    taskQueue,
    debug,
    log,
  });
}

/** Ctrl-C ends it in order; once more ends it at once. */
async function untilInterrupted(session: DevSession): Promise<ExitCode> {
  return new Promise((resolvePromise, reject) => {
    const onSignal = () => {
      session.stop().then(() => resolvePromise(EXIT.ok), reject);
    };
    process.on('SIGINT', onSignal);
    process.on('SIGTERM', onSignal);
    void session.died.then((why) => {
      session.stop().then(() => reject(why), reject);
    });
  });
}

function port(text: string): number {
  const number = Number(text);
  if (Number.isInteger(number) && number > 0 && number < 65_536) return number;
  throw new InvalidArgumentError('expected a port from 1 to 65535');
}
