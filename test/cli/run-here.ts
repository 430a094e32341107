import { program } from '../../src/cli/program.ts';
import { reportError } from '../../src/cli/report-error.ts';
import type { CliRun } from './run-cli.ts';

/** Runs `perdure …` in this process, one at a time: a start of Node for each would take seconds. */
export async function runHere(args: readonly string[]): Promise<CliRun> {
  const written = { stdout: '', stderr: '' };
  const { stdout, stderr } = process;
  const writes = { stdout: stdout.write.bind(stdout), stderr: stderr.write.bind(stderr) };
  const before = process.exitCode;
  const keep = (stream: keyof typeof written) => (chunk: string | Uint8Array) => {
    written[stream] += String(chunk);
    return true;
  };
  stdout.write = keep('stdout');
  stderr.write = keep('stderr');
  try {
    process.exitCode = undefined;
    await program().parseAsync(['node', 'perdure', ...args]);
    return { ...written, exitCode: Number(process.exitCode ?? 0) };
  } catch (error) {
    const exitCode = reportError(error, { debug: false, json: args.includes('--json') });
    return { ...written, exitCode };
  } finally {
    process.exitCode = before;
    stdout.write = writes.stdout;
    stderr.write = writes.stderr;
  }
}
