import { setMaxListeners } from 'node:events';
import type { Client } from '@temporalio/client';

/**
 * Runs a call that the signal may abort. The SDK never lets go of a signal that it was given, so
 * each call gets one of its own.
 */
export async function withSignal<T>(
  client: Client,
  signal: AbortSignal | undefined,
  call: () => Promise<T>,
): Promise<T> {
  if (signal === undefined) return call();
  signal.throwIfAborted();
  const own = new AbortController();
  // A listener of the SDK for every long poll of the call.
  setMaxListeners(0, own.signal);
  const abort = () => own.abort();
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await client.withAbortSignal(own.signal, call);
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
