import type { Contest } from './contestants.ts';
import { balancedOrders, median, table, timed } from './measure.ts';

const BYTES = 1_000;
const STEPS_AT_ONCE = 960;
/** Until V8 has compiled what a step runs through. */
const WARM_UP = { conversations: 3, steps: 100 };

export interface StepOptions {
  /** Of each conversation. */
  readonly steps: number;
  /** Of each contestant, interleaved; multiples of four balance who comes after whom. */
  readonly rounds: number;
  /** How many share `STEPS_AT_ONCE` where steps per second are measured. */
  readonly conversations: readonly number[];
}

/** Milliseconds per step of one conversation, interleaved; steps per second of many at once. */
export async function measureSteps(
  contest: Contest,
  label: string,
  options: StepOptions,
): Promise<void> {
  const { byReference, ours, byValue, withoutMessages } = contest;
  const contestants = [byReference, ours, byValue, withoutMessages];
  const times = new Map<string, number[]>();
  for (let n = 0; n < WARM_UP.conversations; n++) {
    for (const { name, run } of contestants) {
      await run(WARM_UP.steps, BYTES, `${label}-warm-${name}-${n}`);
    }
  }
  const orders = balancedOrders(contestants);
  for (let round = 0; round < options.rounds; round++) {
    for (const { name, run } of orders[round % orders.length] ?? []) {
      const ms = await timed(() => run(options.steps, BYTES, `${label}-${name}-${round}`));
      times.set(name, [...(times.get(name) ?? []), ms / options.steps]);
    }
  }
  const msPerStep = Object.fromEntries([...times].map(([name, values]) => [name, median(values)]));
  const stepsPerSecond: Record<string, number>[] = [];
  for (const atOnce of options.conversations) {
    stepsPerSecond.push(await throughputs(contest, `${label}-${atOnce}`, atOnce));
  }
  const base = msPerStep[byReference.name] ?? Number.NaN;
  console.log(`\n${label}: ${options.steps} steps, median of ${options.rounds} interleaved runs\n`);
  console.log(
    table(
      [
        '',
        'ms per step',
        'of by reference',
        ...options.conversations.flatMap((n) => [`steps/s, ${n} conversations`, 'of by reference']),
      ],
      contestants.map(({ name }) => [
        name,
        msPerStep[name] ?? 0,
        (msPerStep[name] ?? 0) / base,
        ...stepsPerSecond.flatMap((figures): (string | number)[] => {
          const [mine, its] = [figures[name], figures[byReference.name]];
          return mine === undefined || its === undefined ? ['', ''] : [mine, mine / its];
        }),
      ]),
    ),
  );
  const { hits, gaps } = contest.reads();
  const share = Math.round((gaps / (hits + gaps)) * 100);
  console.log(`\ntranscripts read from history: ${gaps} of ${hits + gaps} (${share} %)`);
}

/** Steps per second of many conversations at once, of each contestant: medians of interleaved runs. */
async function throughputs(
  { byReference, ours, withoutMessages }: Contest,
  label: string,
  atOnce: number,
): Promise<Record<string, number>> {
  const steps = STEPS_AT_ONCE / atOnce;
  const figures = new Map<string, number[]>();
  const orders = balancedOrders([byReference, ours, withoutMessages]);
  for (const [round, order] of [...orders, ...orders].entries()) {
    for (const { name, run } of order) {
      const ids = Array.from({ length: atOnce }, (_, n) => `${label}-${name}-${round}-${n}`);
      const ms = await timed(() => Promise.all(ids.map((id) => run(steps, BYTES, id))));
      figures.set(name, [...(figures.get(name) ?? []), (STEPS_AT_ONCE * 1_000) / ms]);
    }
  }
  return Object.fromEntries([...figures].map(([name, values]) => [name, median(values)]));
}
