import ms from 'ms';

/** How long ago, in the largest unit: `3m`, `2h`. */
export function age(since: Date | string, now: Date = new Date()): string {
  const start = typeof since === 'string' ? Date.parse(since) : since.getTime();
  return ms(Math.max(0, now.getTime() - start));
}

/** Of bytes: `420 B`, `1.5 kB`, `3.0 MB`. */
export function size(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  const power = Math.min(Math.floor(Math.log10(bytes) / 3), 4);
  return `${(bytes / 1000 ** power).toFixed(1)} ${['', 'k', 'M', 'G', 'T'][power]}B`;
}

/** `1 approval`, `3 approvals`. */
export function count(number: number, thing: string): string {
  return `${number} ${thing}${number === 1 ? '' : 's'}`;
}

/** `1 person`, `2 people`. */
export function people(number: number): string {
  return number === 1 ? '1 person' : `${number} people`;
}
