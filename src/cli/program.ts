import { Command } from 'commander';
import { createRequire } from 'node:module';
import { approvalsCommand } from './commands/approvals.ts';
import { approveCommand } from './commands/approve.ts';
import { blobsCommand } from './commands/blobs.ts';
import { deleteCommand } from './commands/delete.ts';
import { repairCommand } from './commands/repair.ts';
import { revokeCommand } from './commands/revoke.ts';
import { cancelCommand } from './commands/cancel.ts';
import { checkCommand } from './commands/check.ts';
import { closeCommand } from './commands/close.ts';
import { denyCommand } from './commands/deny.ts';
import { doctorCommand } from './commands/doctor.ts';
import { lsCommand } from './commands/ls.ts';
import { sendCommand } from './commands/send.ts';
import { chatCommand } from './commands/chat.ts';
import { runCommand } from './commands/run.ts';
import { showCommand } from './commands/show.ts';
import { watchCommand } from './commands/watch.ts';
import { stopCommand } from './commands/stop.ts';
import { workerCommand } from './commands/worker.ts';
import { devCommand } from './commands/dev.ts';

/** The command line, ready to parse. Errors are thrown, not exited on. */
export function program(): Command {
  const perdure = new Command('perdure')
    .description('Runs AI agents that cannot lose their place.')
    .version(version(), '-V, --version')
    .showHelpAfterError('(perdure --help shows what there is)');
  const commands = [
    devCommand(),
    workerCommand(),
    runCommand(),
    chatCommand(),
    checkCommand(),
    sendCommand(),
    lsCommand(),
    showCommand(),
    watchCommand(),
    approvalsCommand(),
    approveCommand(),
    denyCommand(),
    revokeCommand(),
    stopCommand(),
    closeCommand(),
    cancelCommand(),
    repairCommand(),
    deleteCommand(),
    blobsCommand(),
    doctorCommand(),
  ];
  for (const command of commands) {
    command.exitOverride();
    perdure.addCommand(command);
  }
  return perdure.exitOverride();
}

/** The same path from `src/cli` and from `dist/cli`. */
function version(): string {
  const packageFile: unknown = createRequire(import.meta.url)('../../package.json');
  return typeof packageFile === 'object' && packageFile !== null && 'version' in packageFile
    ? String(packageFile.version)
    : 'unknown';
}
