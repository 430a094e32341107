import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { fileBlobStore } from '../../src/blobs/file.ts';
import { scripted, toolCall } from '../../src/models/scripted.ts';
import { defineAgent } from '../../src/tools/define-agent.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import { violationsOf } from '../core/request-linter/check-request.ts';
import { report } from '../support/counting-service.ts';

export interface PagesOptions {
  /** Of the counting service. */
  readonly url: string;
  readonly pages: number;
  readonly pageBytes: number;
  /** Milliseconds that every put takes; the blobs are then in a directory of the fixture's own. */
  readonly slowBlobs?: { readonly directory: string; readonly putMs: number };
  /** Milliseconds between the start of the last call and its effect. */
  readonly payMs?: number;
}

/** An agent that reads large pages, one a step, then pays; requests that a model would refuse are reported. */
export default function pagesConfig(options: PagesOptions) {
  const { url, pages, pageBytes, slowBlobs, payMs = 0 } = options;
  const readPage = defineTool({
    name: 'read_page',
    description: 'Reads a page.',
    inputSchema: z.object({ n: z.number() }),
    effect: 'read',
    execute: ({ n }) => `page ${n} `.padEnd(pageBytes, `${n} `),
  });
  const pay = defineTool({
    name: 'pay',
    description: 'Pays.',
    inputSchema: z.object({}),
    effect: 'once',
    async execute(_, { idempotencyKey: key }) {
      await report(url, { kind: 'pay began', key });
      await pause(payMs);
      await report(url, { kind: 'pay', key });
      return 'paid';
    },
  });
  const script = scripted([
    ...Array.from({ length: pages }, (_, n) => toolCall('read_page', { n })),
    toolCall('pay'),
    'Done.',
  ]);
  const model: typeof script = {
    ...script,
    async complete(request, completing) {
      const violations = violationsOf(request);
      await report(url, { kind: 'request', step: request.messages.length, violations });
      return script.complete(request, completing);
    },
  };
  return {
    agents: [defineAgent({ name: 'reader', model, instructions: 'Read.', tools: [readPage, pay] })],
    ...(slowBlobs === undefined ? {} : { blobs: slowStore(slowBlobs) }),
  };
}

function slowStore({ directory, putMs }: { readonly directory: string; readonly putMs: number }) {
  const store = fileBlobStore({ directory });
  return {
    ...store,
    async put(conversationId: string, bytes: Uint8Array) {
      await pause(putMs);
      return store.put(conversationId, bytes);
    },
  };
}
