import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import type { Json } from '../../core/json.ts';

/** What the server sends for one request, byte for byte. */
export interface WireReply {
  /** Default 200. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Each is written, and flushed, by itself. */
  readonly chunks: readonly Uint8Array[];
  /** Milliseconds before each chunk; default 0. */
  readonly pauseMs?: number;
  /** After the last chunk: end the response (default), cut the connection, or say no more. */
  readonly end?: 'close' | 'reset' | 'hang';
  /** Not even headers are sent. */
  readonly mute?: boolean;
}

export interface RecordedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** The parsed body; null when there is none. */
  readonly body: Json;
  /** The body as it came. */
  readonly text: string;
}

export type Respond = (request: RecordedRequest, n: number) => WireReply | Promise<WireReply>;

export interface ModelServer {
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  readonly requests: readonly RecordedRequest[];
  close(): Promise<void>;
}

/** A local HTTP server in place of a model API: what is tested against it crosses a real socket. */
export async function startModelServer(respond: Respond): Promise<ModelServer> {
  const requests: RecordedRequest[] = [];
  const closing = new AbortController();
  const server = createServer((incoming, response) => {
    const received: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => received.push(chunk));
    incoming.on('end', () => {
      const text = Buffer.concat(received).toString('utf8');
      const request: RecordedRequest = {
        method: incoming.method ?? '',
        path: incoming.url ?? '',
        headers: incoming.headers,
        body: text === '' ? null : (JSON.parse(text) as Json),
        text,
      };
      requests.push(request);
      answer(respond, request, { n: requests.length - 1, response, signal: closing.signal });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    async close() {
      closing.abort();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Replies one after another; a request too many gets a 500 that says so. */
export function inOrder(...replies: readonly WireReply[]): Respond {
  return (_request, n) =>
    replies[n] ?? {
      status: 500,
      chunks: [Buffer.from(`the server has ${replies.length} replies, this is request ${n + 1}`)],
    };
}

/** The same bytes in pieces of `size`, wherever that cuts, also inside a UTF-8 character. */
export function cutEvery(size: number, reply: WireReply): WireReply {
  const bytes = Buffer.concat(reply.chunks);
  const chunks: Uint8Array[] = [];
  for (let start = 0; start < bytes.length; start += size) {
    chunks.push(bytes.subarray(start, start + size));
  }
  return { ...reply, chunks };
}

function answer(
  respond: Respond,
  request: RecordedRequest,
  { n, response, signal }: { n: number; response: ServerResponse; signal: AbortSignal },
): void {
  Promise.resolve()
    .then(() => respond(request, n))
    .then((reply) => send(reply, response, signal))
    .catch((error: unknown) => {
      if (signal.aborted || response.destroyed) return;
      response.writeHead(500).end(`the server's respond function threw: ${String(error)}`);
    });
}

async function send(
  reply: WireReply,
  response: ServerResponse,
  signal: AbortSignal,
): Promise<void> {
  if (reply.mute === true) return;
  response.writeHead(reply.status ?? 200, reply.headers);
  response.flushHeaders();
  for (const chunk of reply.chunks) {
    if (reply.pauseMs !== undefined) await wait(reply.pauseMs, undefined, { signal });
    if (response.destroyed) return;
    await new Promise<void>((resolve) => response.write(chunk, () => resolve()));
  }
  if (reply.end === 'hang') return;
  if (reply.end === 'reset') response.socket?.resetAndDestroy();
  else response.end();
}
