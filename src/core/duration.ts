import ms, { type StringValue } from 'ms';
import * as z from 'zod/mini';

/** Milliseconds, or Temporal's own notation: `"30 days"`, `"15m"`, `"250ms"`. */
export type Duration = StringValue | number;

/** Milliseconds of a duration; `undefined` when it is not one, is negative, or is not finite. */
export function durationMs(duration: unknown): number | undefined {
  const value =
    typeof duration === 'number'
      ? duration
      : // `ms` throws at text that is empty or longer.
        typeof duration === 'string' && duration !== '' && duration.length <= 100
        ? ms(duration as StringValue)
        : Number.NaN;
  return Number.isFinite(value) && value >= 0 ? value : undefined;
}

const schema = z.union([z.number(), z.string()]).check(
  z.refine((value) => durationMs(value) !== undefined, {
    error: 'expected a duration: milliseconds, or text such as "30 days"',
  }),
);
export const durationSchema = () => schema;
