import type { Growth } from './growth.ts';
import type { Wall } from './walls.ts';

interface Line {
  readonly name: string;
  readonly colour: string;
  readonly points: readonly (readonly [pairs: number, value: number])[];
  /** The server ended it at its last point. */
  readonly dies: boolean;
}

interface Panel {
  readonly title: string;
  readonly lines: readonly Line[];
  readonly most: number;
  readonly step: number;
  readonly shown: (value: number) => string;
}

const WIDTH = 760;
const PANEL = { left: 70, width: 660, height: 190, gap: 70, top: 60 };
const COLOURS = { ours: '#2563eb', byReference: '#6b7280', byValue: '#dc2626' };

/** Bytes and events of history against the length of a conversation, as an SVG. */
export function drawGrowth(
  ours: readonly Growth[],
  walls: { readonly byReference: Wall; readonly byValue: Wall },
): string {
  const lines = (value: (grown: Growth) => number): Line[] => [
    lineOf('passes all messages by value', COLOURS.byValue, walls.byValue.grown, value, true),
    lineOf('passes no messages', COLOURS.byReference, walls.byReference.grown, value, true),
    lineOf('Perdure', COLOURS.ours, ours, value, false),
  ];
  const pairs = ours.at(-1)?.pairs ?? 1;
  const panels: Panel[] = [
    {
      title: 'history, MB (all runs of the conversation)',
      lines: lines(({ bytes }) => bytes / 1e6),
      most: 60,
      step: 20,
      shown: String,
    },
    {
      title: 'history, events (all runs of the conversation)',
      lines: lines(({ events }) => events),
      most: 75_000,
      step: 25_000,
      shown: (value) => value.toLocaleString('en'),
    },
  ];
  const height = PANEL.top + panels.length * (PANEL.height + PANEL.gap);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="sans-serif" font-size="12">`,
    `<title>History of one conversation against its length</title>`,
    `<rect width="${WIDTH}" height="${height}" fill="white"/>`,
    ...legend(panels[0]?.lines ?? []),
    ...panels.flatMap((panel, index) =>
      draw(panel, pairs, PANEL.top + index * (PANEL.height + PANEL.gap)),
    ),
    '</svg>',
    '',
  ].join('\n');
}

function lineOf(
  name: string,
  colour: string,
  grown: readonly Growth[],
  value: (grown: Growth) => number,
  dies: boolean,
): Line {
  return {
    name,
    colour,
    points: [[0, 0], ...grown.map((size) => [size.pairs, value(size)] as const)],
    dies,
  };
}

function legend(lines: readonly Line[]): string[] {
  return lines.map(
    ({ name, colour }, index) =>
      `<text x="${PANEL.left + index * 220}" y="24" fill="${colour}" font-weight="bold">${name}</text>`,
  );
}

function draw({ title, lines, most, step, shown }: Panel, pairs: number, top: number): string[] {
  const x = (count: number) => round(PANEL.left + (count / pairs) * PANEL.width);
  const y = (value: number) => round(top + PANEL.height - (value / most) * PANEL.height);
  const marks = Array.from({ length: most / step + 1 }, (_, n) => n * step);
  const right = PANEL.left + PANEL.width;
  return [
    `<text x="${PANEL.left}" y="${top - 8}" fill="#111">${title}</text>`,
    ...marks.flatMap((mark) => [
      `<line x1="${PANEL.left}" y1="${y(mark)}" x2="${right}" y2="${y(mark)}" stroke="#e5e7eb"/>`,
      `<text x="${PANEL.left - 8}" y="${y(mark) + 4}" text-anchor="end" fill="#444">${shown(mark)}</text>`,
    ]),
    ...[0, 1, 2, 3, 4, 5].map((part) => {
      const count = Math.round((pairs * part) / 5);
      return `<text x="${x(count)}" y="${top + PANEL.height + 18}" text-anchor="middle" fill="#444">${count.toLocaleString('en')}</text>`;
    }),
    `<text x="${right}" y="${top + PANEL.height + 36}" text-anchor="end" fill="#444">call/result pairs of 5 KB</text>`,
    ...lines.flatMap((line) => [
      `<polyline fill="none" stroke="${line.colour}" stroke-width="2" points="${line.points.map(([count, value]) => `${x(count)},${y(value)}`).join(' ')}"/>`,
      ...(line.dies ? death(line, x, y) : []),
    ]),
  ];
}

function death(
  { points, colour }: Line,
  x: (count: number) => number,
  y: (value: number) => number,
): string[] {
  const [count, value] = points.at(-1) ?? [0, 0];
  return [
    `<circle cx="${x(count)}" cy="${y(value)}" r="5" fill="${colour}"/>`,
    `<text x="${x(count) + 9}" y="${y(value) - 7}" fill="${colour}">ended by the server at pair ${count.toLocaleString('en')}</text>`,
  ];
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
