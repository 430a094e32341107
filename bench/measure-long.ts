import { writeFile } from 'node:fs/promises';
import { startContest } from './contestants.ts';
import { type Growth, growthTable, measureGrowth } from './growth.ts';
import { drawGrowth } from './growth-picture.ts';
import { type LongFigures, runLong } from './long.ts';
import { findWall, type Wall } from './walls.ts';

const PICTURE = new URL('../docs/pictures/growth.svg', import.meta.url);

/**
 * A long conversation beside two hand-written loops: how history grows, where the loops end, and
 * what a step costs at the beginning and at the end. Draws the picture of the docs.
 */
export async function measureLong(address: string, isQuick: boolean): Promise<void> {
  const pairs = isQuick ? 400 : 5_000;
  const contest = await startContest(address);
  const short = await measureGrowth(contest, isQuick ? [10] : [10, 50, 100, 400]);
  const byValue = await findWall(contest, contest.byValue, [10, 40, 80], pairs);
  report(byValue);
  const byReference = await findWall(contest, contest.byReference, [10, 100, 400], pairs);
  report(byReference);
  await contest.end();
  const long = await runLong(address, {
    pairs,
    kills: isQuick ? 2 : 10,
    checkpoints: isQuick ? [200] : [1_000, 2_000, 3_000, 4_000],
    log: (line) => console.log(line),
  });
  const grown = [...short, ...long.grown];
  console.log(
    `\nperdure, with a context budget and ${long.kills} kills\n\n${growthTable(grown)}\n`,
  );
  console.log(costs(long));
  const perPair = grown.map((size) => size.bytes / size.pairs);
  const [least, most] = [Math.min(...perPair), Math.max(...perPair)];
  const off = ((most - least) / (most + least)) * 100;
  console.log(`bytes per pair: all within ${off.toFixed(1)} % of their middle`);
  if (!isQuick) await writeFile(PICTURE, drawGrowth(grown, { byReference, byValue }));
}

function report({ name, grown, end }: Wall): void {
  const last = grown.at(-1) as Growth;
  console.log(`\n${name}: ${end} at pair ${last.pairs}\n\n${growthTable(grown)}`);
}

function costs({ first, last, stopReason, resumedAfterMs, blobBytes }: LongFigures): string {
  return [
    `ended: ${stopReason}; next call after a kill, median: ${Math.round(resumedAfterMs)} ms`,
    `CPU of the worker per step: ${first.cpuMs.toFixed(1)} ms at first, ${last.cpuMs.toFixed(1)} ms at last (${(last.cpuMs / first.cpuMs).toFixed(2)})`,
    `time per step: ${first.ms.toFixed(1)} ms at first, ${last.ms.toFixed(1)} ms at last`,
    `blob store: ${(blobBytes / 1e6).toFixed(1)} MB`,
  ].join('\n');
}
