import Table from 'cli-table3';
import { bold } from './print.ts';

/** Columns aligned by spaces, without lines: readable, and usable by `awk`. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const nothing = { top: '', 'top-mid': '', 'top-left': '', 'top-right': '' };
  const grid = new Table({
    head: headings.map((heading) => bold(heading)),
    chars: {
      ...nothing,
      bottom: '',
      'bottom-mid': '',
      'bottom-left': '',
      'bottom-right': '',
      left: '',
      'left-mid': '',
      mid: '',
      'mid-mid': '',
      right: '',
      'right-mid': '',
      middle: '  ',
    },
    style: { 'padding-left': 0, 'padding-right': 0, head: [], border: [] },
  });
  grid.push(...rows.map((row) => [...row]));
  return grid
    .toString()
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n');
}
