import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One thing that a tool or a model did, as the outside world saw it. */
export interface SeenEffect {
  readonly kind: string;
  readonly [field: string]: unknown;
}

export interface CountingService {
  readonly url: string;
  /** In order of arrival. */
  readonly seen: SeenEffect[];
  of(kind: string): SeenEffect[];
  /** Resolves when as many of a kind have been seen. */
  until(kind: string, count: number, timeoutMs?: number): Promise<void>;
  close(): Promise<void>;
}

/**
 * The world outside of the workers: records every effect that is reported to it, before it answers.
 * `hold` of a report keeps the answer back for so many milliseconds.
 */
export async function startCountingService(): Promise<CountingService> {
  const seen: SeenEffect[] = [];
  const waiting = new Set<() => void>();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      if (request.method === 'GET') {
        response.end(JSON.stringify(seen));
        return;
      }
      const effect = JSON.parse(Buffer.concat(chunks).toString('utf8')) as SeenEffect;
      seen.push(effect);
      for (const check of waiting) check();
      const hold = typeof effect['hold'] === 'number' ? effect['hold'] : 0;
      setTimeout(() => response.end('{}'), hold);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const of = (kind: string) => seen.filter((effect) => effect.kind === kind);
  return {
    url: `http://127.0.0.1:${port}`,
    seen,
    of,
    until(kind, count, timeoutMs = 30_000) {
      return new Promise((resolve, reject) => {
        const timer = setTimeout(() => {
          waiting.delete(check);
          reject(
            new Error(
              `expected ${count} of "${kind}", saw ${of(kind).length}: ${JSON.stringify(seen)}`,
            ),
          );
        }, timeoutMs);
        const check = () => {
          if (of(kind).length < count) return;
          clearTimeout(timer);
          waiting.delete(check);
          resolve();
        };
        waiting.add(check);
        check();
      });
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Reports an effect from a worker process; resolves when the service has recorded it. */
export async function report(url: string, effect: SeenEffect): Promise<void> {
  const response = await fetch(url, { method: 'POST', body: JSON.stringify(effect) });
  await response.text();
}
