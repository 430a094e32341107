import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The world outside of the workers: keeps every effect by its call's key, before it answers. */
export interface EffectStore {
  readonly url: string;
  /** How often each call of a conversation had its effect, as the store counted it. */
  effectsOf(conversationId: string): ReadonlyMap<string, number>;
  /** What was wrong with requests, in the words of a checker that knows nothing of the linter. */
  readonly violations: string[];
  close(): Promise<void>;
}

export interface Effect {
  readonly conversation: string;
  readonly key: string;
  /** A service that takes a key does the same thing once. */
  readonly isKeyed: boolean;
}

export async function startEffectStore(): Promise<EffectStore> {
  const effects = new Map<string, Map<string, number>>();
  const violations: string[] = [];
  const of = (conversation: string): Map<string, number> => {
    const counts = effects.get(conversation) ?? new Map<string, number>();
    effects.set(conversation, counts);
    return counts;
  };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const said: unknown = JSON.parse(Buffer.concat(chunks).toString('utf8'));
      if (request.url === '/violations') violations.push(...(said as string[]));
      const { conversation, key, isKeyed } = said as Effect;
      if (request.url === '/effects') {
        const before = of(conversation).get(key) ?? 0;
        of(conversation).set(key, isKeyed ? 1 : before + 1);
      }
      response.end(JSON.stringify({ times: of(conversation).get(key) ?? 0 }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    effectsOf: of,
    violations,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** From a worker process: `effects`, `violations`, or `look` for how often a call had its effect. */
export async function tellStore(
  url: string,
  what: 'effects' | 'violations' | 'look',
  said: unknown,
): Promise<{ readonly times: number }> {
  const response = await fetch(`${url}/${what}`, { method: 'POST', body: JSON.stringify(said) });
  return (await response.json()) as { times: number };
}
