import { parseArgs } from 'node:util';
import type { KillPoint } from '../../src/testing/index.ts';
import { compileTree } from '../support/compile-tree.ts';
import { storm } from './storm.ts';

/** `npm run faults -- --runs 1000 --seed 7`: kills workers, prints the table, fails on any problem. */
const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '100' },
    seed: { type: 'string' },
    'at-once': { type: 'string', default: '16' },
    histories: { type: 'string' },
    point: { type: 'string', multiple: true },
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
const problems = [...report.problems, ...report.violations];
for (const problem of problems) console.log(problem);
console.log(`\n${problems.length} problems, seed ${report.seed}`);
process.exit(problems.length === 0 ? 0 : 1);
