import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that take a minute and more: whichever came last would be waited for alone. */
const LONG = [
  'faults/random-kills',
  'server/hand-over-storm',
  'faults/operators',
  'faults/stopped-worker',
  'faults/crash-test',
  'server/ledger',
  'cli/dev',
  'docs/testing-page',
];

/** Without figures of an earlier run Vitest goes by the size of a file, which says nothing of its time. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted((a, b) => rankOf(a) - rankOf(b));
  }
}

function rankOf({ moduleId }: TestSpecification): number {
  const rank = LONG.findIndex((name) => moduleId.endsWith(`test/${name}.test.ts`));
  return rank === -1 ? LONG.length : rank;
}
