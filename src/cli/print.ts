import { paint } from './paint.ts';

/**
 * Where a command's words go: results to stdout, so that they can be piped; everything else to
 * stderr.
 */
export interface Print {
  readonly json: boolean;
  /** A line of the result, for people. Nothing under `--json`. */
  text(line: string): void;
  /** A piece of the result as it comes, without a line end. Nothing under `--json`. */
  piece(text: string): void;
  /** The result as one line of JSON, under `--json` only. */
  data(value: unknown): void;
  /** A remark on stderr. */
  note(line: string): void;
}

export function printer(json: boolean): Print {
  return {
    json,
    text: (line) => {
      if (!json) process.stdout.write(`${line}\n`);
    },
    piece: (text) => {
      if (!json) process.stdout.write(text);
    },
    data: (value) => {
      if (json) process.stdout.write(`${JSON.stringify(value)}\n`);
    },
    note: (line) => {
      process.stderr.write(`${line}\n`);
    },
  };
}

export function dim(text: string): string {
  return paint(process.stdout, 'dim', text);
}

export function bold(text: string): string {
  return paint(process.stdout, 'bold', text);
}

const COLOURS = {
  ok: 'green',
  waiting: 'yellow',
  bad: 'red',
  plain: 'reset',
} as const;

/** A word in the colour of how good it is. */
export function tinted(how: keyof typeof COLOURS, text: string): string {
  return how === 'plain' ? text : paint(process.stdout, COLOURS[how], text);
}
