import ms from 'ms';

/** How long ago, in the largest unit: `3m`, `2h`. */
export function age(since: Date | string, now: Date = new Date()): string {
  const start = typeof since === 'string' ? Date.parse(since) : since.getTime();
  return ms(Math.max(0, now.getTime() - start));
}

/** `1 approval`, `3 approvals`. */
export function count(number: number, thing: string): string {
  return `${number} ${thing}${number === 1 ? '' : 's'}`;
}
