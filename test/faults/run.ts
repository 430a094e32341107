import { parseArgs } from 'node:util';
import type { KillPoint } from '../../src/testing/index.ts';
import { nameOf } from '../../src/testing/crash/kill-points.ts';
import { compileTree } from '../support/compile-tree.ts';
import { storm } from './storm.ts';

/**
 * `npm run faults -- --runs 1000 --seed 7`: kills workers, prints the table, fails on any problem, and
 * when a point was hit less often than `--at-least` (30 of 1,000 kills).
 */
const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '100' },
    seed: { type: 'string' },
    'at-once': { type: 'string', default: '16' },
    histories: { type: 'string' },
    point: { type: 'string', multiple: true },
    'at-least': { type: 'string' },
  },
});
const compiled = await compileTree();
const began = Date.now();
const report = await storm({
  compiledPath: compiled.path,
  kills: Number(values.runs),
  atOnce: Number(values['at-once']),
  ...(values.histories === undefined ? {} : { histories: values.histories }),
  ...(values.point === undefined ? {} : { points: values.point as KillPoint[] }),
  ...(values.seed === undefined ? {} : { seed: Number(values.seed) }),
  log: (line) => console.log(`${((Date.now() - began) / 1000).toFixed(0)} s: ${line}`),
}).finally(() => compiled.remove());
console.log(`\n${report.table}`);
const atLeast = Number(values['at-least'] ?? (Number(values.runs) < 1_000 ? 0 : 30));
const seldomHit = report.hits
  .filter(({ kills }) => kills < atLeast)
  .map(({ target, kills }) => `${kills} kills hit at "${nameOf(target)}", fewer than ${atLeast}`);
const problems = [...report.problems, ...report.violations, ...seldomHit];
for (const problem of problems) console.log(problem);
console.log(`\n${problems.length} problems, seed ${report.seed}`);
process.exit(problems.length === 0 ? 0 : 1);
