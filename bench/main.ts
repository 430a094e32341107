/**
 * Measures Perdure side by side with hand-written Temporal loops, in one run on one machine:
 * `npm run bench -- [steps] [growth] [approvals] [resume] [memory] [long] [--quick]`. Figures are ratios: absolute ones
 * belong to a machine.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import {
  type EmbeddedServer,
  startEmbeddedServer,
} from '../src/embedded-server/embedded-server.ts';
import { installLogger } from '../src/worker/install-logger.ts';
import { measureApprovals } from './approvals.ts';
import { startContest } from './contestants.ts';
import { growthTable, measureGrowth } from './growth.ts';
import { measureLong } from './measure-long.ts';
import { measureMemory } from './memory.ts';
import { measureResume } from './resume.ts';
import { measureSteps } from './steps.ts';

const QUICK = process.argv.includes('--quick');
const named = process.argv.slice(2).filter((word) => !word.startsWith('--'));
/** The others take up to a quarter of an hour each: only on demand. */
const chosen = named.length === 0 ? ['steps', 'growth'] : named;
const includes = (section: string) => chosen.includes(section);

const STEP_SETTINGS = [
  { label: 'embedded server' },
  { label: 'three workers, no eager starts', workers: 3, eagerStarts: false },
  { label: 'server with its defaults', withDefaults: true },
];

installLogger('error');
console.log(
  `Node ${process.version}, ${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GiB`,
);

if (includes('steps')) {
  for (const setting of STEP_SETTINGS) {
    await onServer(setting.withDefaults ?? false, async ({ address }) => {
      const contest = await startContest(address, setting);
      await measureSteps(contest, setting.label, {
        steps: QUICK ? 20 : 60,
        rounds: QUICK || setting.withDefaults ? 3 : 7,
        conversations: 16,
      });
      await contest.end();
    });
  }
}
if (includes('growth')) {
  await onServer(false, async ({ address }) => {
    const contest = await startContest(address);
    const grown = await measureGrowth(contest, QUICK ? [10, 40] : [10, 40, 100, 400]);
    console.log(`\nHistory of one conversation, results of 5 KB\n\n${growthTable(grown)}`);
    await contest.end();
  });
}
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

async function onServer(
  withDefaults: boolean,
  use: (server: EmbeddedServer) => Promise<void>,
): Promise<void> {
  const dataDirectory = await mkdtemp(join(tmpdir(), 'perdure-bench-server-'));
  const server = await startEmbeddedServer({ dataDirectory, headless: true, withDefaults });
  try {
    await use(server);
  } finally {
    await server.stop();
    await rm(dataDirectory, { recursive: true, force: true });
  }
}
