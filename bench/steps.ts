import type { Contest, Contestant } from './contestants.ts';
import { median, table, timed } from './measure.ts';

const BYTES = 1_000;

export interface StepFigures {
  readonly msPerStep: { readonly [contestant: string]: number };
  /** Ours divided by the floor. */
  readonly ratio: number;
  readonly stepsPerSecond: { readonly [contestant: string]: number };
}

/** Milliseconds per step of one conversation, interleaved; steps per second of many at once. */
export async function measureSteps(
  contest: Contest,
  label: string,
  options: { readonly steps: number; readonly rounds: number; readonly conversations: number },
): Promise<StepFigures> {
  const contestants = [contest.byReference, contest.ours, contest.byValue];
  const times = new Map<string, number[]>();
  for (const { name, run } of contestants) await run(5, BYTES, `${label}-warm-${name}`);
  for (let round = 0; round < options.rounds; round++) {
    for (const { name, run } of contestants) {
      const ms = await timed(() => run(options.steps, BYTES, `${label}-${name}-${round}`));
      times.set(name, [...(times.get(name) ?? []), ms / options.steps]);
    }
  }
  const msPerStep = Object.fromEntries([...times].map(([name, values]) => [name, median(values)]));
  const stepsPerSecond: Record<string, number> = {};
  for (const contestant of [contest.byReference, contest.ours]) {
    stepsPerSecond[contestant.name] = await throughput(contestant, label, options.conversations);
  }
  const floor = msPerStep['byReference'] ?? Number.NaN;
  const ratio = (msPerStep['perdure'] ?? Number.NaN) / floor;
  console.log(`\n${label}: ${options.steps} steps, median of ${options.rounds} interleaved runs\n`);
  console.log(
    table(
      ['', 'ms per step', 'of the floor', `steps/s, ${options.conversations} conversations`],
      contestants.map(({ name }) => [
        name,
        msPerStep[name] ?? 0,
        (msPerStep[name] ?? 0) / floor,
        stepsPerSecond[name] === undefined ? '' : stepsPerSecond[name],
      ]),
    ),
  );
  const { hits, gaps } = contest.reads();
  const share = Math.round((gaps / (hits + gaps)) * 100);
  console.log(`\ntranscripts read from history: ${gaps} of ${hits + gaps} (${share} %)`);
  return { msPerStep, ratio, stepsPerSecond };
}

async function throughput(
  { name, run }: Contestant,
  label: string,
  conversations: number,
): Promise<number> {
  const steps = 20;
  const ms = await timed(() =>
    Promise.all(
      Array.from({ length: conversations }, (_, n) =>
        run(steps, BYTES, `${label}-many-${name}-${n}`),
      ),
    ),
  );
  return (steps * conversations * 1_000) / ms;
}
