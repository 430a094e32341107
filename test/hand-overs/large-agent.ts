import { z } from 'zod';
import type { BlobStore } from '../../src/blobs/blob-store.ts';
import { fileBlobStore } from '../../src/blobs/file.ts';
import type { ModelRequest } from '../../src/core/model-request.ts';
import { scripted, toolCall } from '../../src/models/scripted.ts';
import { defineAgent } from '../../src/tools/define-agent.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import { report } from '../support/counting-service.ts';

export interface LargeAgentOptions {
  /** Of the counting service, which holds a report's answer for as long as it says. */
  readonly url: string;
  readonly blobDirectory: string;
  /** The process hangs when it has put or got a blob that begins so, until it is killed. */
  readonly hangAfter?: { readonly what: 'put' | 'get'; readonly begins: string };
}

const FOR_EVER_MS = 600_000;
export const STEPS = 6;
/** Everything is above what history holds inline. */
const LARGE = 40_000;

/** Every turn, argument and result of this agent is large; each step proves that it saw the ones before. */
export default function largeConfig(options: LargeAgentOptions) {
  return {
    blobs: hanging(fileBlobStore({ directory: options.blobDirectory }), options),
    agents: [
      defineAgent({
        name: 'large',
        model: scripted((request, turn) => {
          const seen = texts(request);
          if (turn < STEPS) {
            return [
              `Turn ${turn}: ${'t'.repeat(LARGE)}`,
              toolCall('make', { n: turn, text: 'a'.repeat(LARGE) }),
            ];
          }
          const wanted = Array.from({ length: STEPS }, (_, n) => `made ${n} `);
          const lost = wanted.filter((words) => !seen.some((text) => text.startsWith(words)));
          return lost.length === 0 ? 'All seen.' : `Not seen: ${lost.join(', ')}`;
        }),
        instructions: 'Make.',
        tools: [
          defineTool({
            name: 'make',
            description: 'Makes much.',
            inputSchema: z.object({ n: z.number(), text: z.string() }),
            effect: 'idempotent',
            maxResultChars: 1_000_000,
            execute: async ({ n, text }, { idempotencyKey }) => {
              await report(options.url, {
                kind: 'made',
                n,
                key: idempotencyKey,
                length: text.length,
              });
              return `made ${n} ${'r'.repeat(LARGE)}`;
            },
          }),
        ],
      }),
    ],
  };
}

function texts({ messages }: ModelRequest): string[] {
  return messages.flatMap((message) =>
    message.role === 'tool'
      ? message.results.flatMap(({ content }) =>
          content.map((part) => (part.type === 'text' ? part.text : '')),
        )
      : [],
  );
}

function hanging(store: BlobStore, { url, hangAfter }: LargeAgentOptions): BlobStore {
  const after = async <T>(what: 'put' | 'get', result: T, bytes: Uint8Array): Promise<T> => {
    const hangs =
      hangAfter?.what === what && Buffer.from(bytes).toString().startsWith(hangAfter.begins);
    if (hangs) await report(url, { kind: 'hangs', what, hold: FOR_EVER_MS });
    return result;
  };
  return {
    ...store,
    put: async (conversationId, bytes) =>
      after('put', await store.put(conversationId, bytes), bytes),
    get: async (conversationId, sha256) => {
      const bytes = await store.get(conversationId, sha256);
      return after('get', bytes, bytes);
    },
  };
}
