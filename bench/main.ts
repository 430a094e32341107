/**
 * Measures Perdure side by side with hand-written Temporal loops, in one run on one machine:
 * `npm run bench -- [steps] [growth] [approvals] [heartbeats] [resume] [memory] [long] [--quick]`. Figures are
 * ratios: absolute ones belong to a machine.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { cpus, totalmem } from 'node:os';
import { installLogger } from '../src/worker/install-logger.ts';
import { compiledUrl, compileTree } from '../test/support/compile-tree.ts';
import { measureApprovals } from './approvals.ts';
import { measureHeartbeats } from './heartbeats.ts';
import { measureLong } from './measure-long.ts';
import { measureMemory } from './memory.ts';
import { onServer } from './on-server.ts';
import { measureResume } from './resume.ts';

const QUICK = process.argv.includes('--quick');
const named = process.argv.slice(2).filter((word) => !word.startsWith('--'));
/** The others take up to a quarter of an hour each: only on demand. */
const chosen = named.length === 0 ? ['steps', 'growth'] : named;
const includes = (section: string) => chosen.includes(section);

installLogger('error');
console.log(
  `Node ${process.version}, ${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GiB`,
);

const inProcess = ['steps', 'growth'].filter(includes);
if (inProcess.length > 0) await measureInProcess(inProcess);
if (includes('approvals')) {
  await onServer(false, (server) =>
    measureApprovals(
      server,
      QUICK
        ? { conversations: 50, single: 10, idleSeconds: 5 }
        : { conversations: 1_000, single: 50, idleSeconds: 60 },
    ),
  );
}
if (includes('heartbeats')) {
  await onServer(false, (server) =>
    measureHeartbeats(server, QUICK ? { calls: 20, seconds: 5 } : { calls: 100, seconds: 60 }),
  );
}
if (includes('resume')) {
  await onServer(false, ({ address }) =>
    measureResume(address, { kills: QUICK ? 6 : 40, seed: 7 }),
  );
}
if (includes('memory')) {
  await onServer(false, ({ address }) => measureMemory(address, QUICK ? 100 : 1_000));
}
if (includes('long')) {
  await onServer(false, ({ address }) => measureLong(address, QUICK));
}
// Log lines of Temporal's core are forwarded for ever where no worker ends it.
process.exit();

/** Compiled as the package is: what loads TypeScript makes our code slower, not the loops'. */
async function measureInProcess(sections: readonly string[]): Promise<void> {
  const compiled = await compileTree();
  try {
    const entry = compiledUrl(new URL('in-process.ts', import.meta.url), compiled.path);
    const child = fork(entry, [...sections, ...(QUICK ? ['--quick'] : [])], { execArgv: [] });
    const [code] = (await once(child, 'exit')) as [number | null];
    if (code !== 0) process.exitCode = 1;
  } finally {
    await compiled.remove();
  }
}
