import { constants, createServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import { NoWorker, PerdureClient } from '../../src/client/index.ts';

/** Not compressed, of no bytes. */
const EMPTY_MESSAGE = Buffer.alloc(5);

/** As a server does whose clock comes to the deadline before the client's: it closes the call. */
const server = createServer();
server.on('stream', (stream, headers) => {
  stream.on('error', () => {});
  if (String(headers[':path']).endsWith('/QueryWorkflow')) {
    stream.close(constants.NGHTTP2_CANCEL);
    return;
  }
  stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
  stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
  stream.end(EMPTY_MESSAGE);
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
afterAll(() => new Promise((resolve) => server.close(resolve)));

test('a question that the server closes at its deadline is one that no worker answered', async () => {
  const { port } = server.address() as AddressInfo;
  const client = await PerdureClient.connect({ address: `127.0.0.1:${port}`, taskQueue: 'any' });
  try {
    await expect(client.handle('closed').status()).rejects.toBeInstanceOf(NoWorker);
  } finally {
    await client.close();
  }
});
