import { PerdureRefusal } from './errors/perdure-refusal.ts';

/** The server takes 2 MiB per payload; this leaves room for its wrapping. */
export const MAX_PAYLOAD_BYTES = 2_000_000;

/** Bytes of a value as JSON in UTF-8. */
export function jsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value) ?? '', 'utf8');
}

/**
 * Refuses what the server would not take, or what a field may not hold, before it is sent.
 * @throws {PerdureRefusal} `too_large`, with size and limit in bytes.
 */
export function demandSize(what: string, value: unknown, limit: number, mend: string): void {
  const size = jsonBytes(value);
  if (size <= limit) return;
  throw new PerdureRefusal({
    code: 'too_large',
    message: `${what} has ${size} bytes as JSON, and may have ${limit}: ${mend}`,
    size,
    limit,
  });
}
