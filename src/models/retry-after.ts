/**
 * Milliseconds that a response asks to wait: `retry-after-ms`, else `retry-after` in seconds or as a
 * date. Undefined when there is none, or none that means a wait. Not capped: the workflow does that.
 */
export function retryAfterMs(headers: Headers | undefined, now: number): number | undefined {
  if (headers === undefined) return undefined;
  return (
    positive(numberIn(headers.get('retry-after-ms'))) ??
    positive(secondsOf(headers.get('retry-after'), now))
  );
}

function secondsOf(value: string | null, now: number): number | undefined {
  const seconds = numberIn(value);
  if (seconds !== undefined) return seconds * 1_000;
  const date = value === null ? Number.NaN : Date.parse(value);
  return Number.isNaN(date) ? undefined : date - now;
}

function numberIn(value: string | null): number | undefined {
  return value !== null && /^\s*[+-]?\d+(\.\d+)?(e[+-]?\d+)?\s*$/i.test(value)
    ? Number(value)
    : undefined;
}

function positive(milliseconds: number | undefined): number | undefined {
  return milliseconds !== undefined && Number.isFinite(milliseconds) && milliseconds > 0
    ? Math.round(milliseconds)
    : undefined;
}
