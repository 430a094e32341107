/**
 * What is measured with workers in the measuring process itself. `main.ts` starts it as a process of
 * its own, compiled, as the package is: `steps` or `growth`, and `--quick`.
 */
import { installLogger } from '../src/worker/install-logger.ts';
import { startContest } from './contestants.ts';
import { growthTable, measureGrowth } from './growth.ts';
import { onServer } from './on-server.ts';
import { measureSteps } from './steps.ts';

const QUICK = process.argv.includes('--quick');

const STEP_SETTINGS = [
  { label: 'embedded server' },
  { label: 'three workers, no eager starts', workers: 3, eagerStarts: false },
  { label: 'server with its defaults', withDefaults: true },
];

installLogger('error');
if (process.argv.includes('steps')) {
  for (const setting of STEP_SETTINGS) {
    await onServer(setting.withDefaults ?? false, async ({ address }) => {
      const contest = await startContest(address, setting);
      await measureSteps(contest, setting.label, {
        steps: QUICK ? 20 : 60,
        rounds: QUICK || setting.withDefaults ? 4 : 32,
        conversations: setting.withDefaults ? [16] : [16, 64],
      });
      await contest.end();
    });
  }
}
if (process.argv.includes('growth')) {
  await onServer(false, async ({ address }) => {
    const contest = await startContest(address);
    const grown = await measureGrowth(contest, QUICK ? [10, 40] : [10, 40, 100, 400]);
    console.log(`\nHistory of one conversation, results of 5 KB\n\n${growthTable(grown)}`);
    await contest.end();
  });
}
// Log lines of Temporal's core are forwarded for ever where no worker ends it.
process.exit();
