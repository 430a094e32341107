import { setTimeout as sleep } from 'node:timers/promises';
import { Connection } from '@temporalio/client';
import { msToTs, optionalTsToMs } from '@temporalio/common/lib/time.js';
import { messageOf } from '../core/describe-error.ts';
import { answers } from './answers.ts';
import { SEARCH_ATTRIBUTE_TYPES } from '../core/search-attributes.ts';

const RETRY_MS = 50;

/** One attempt to connect; a loaded machine may need more than one. */
const CONNECT_TIMEOUT_MS = 5_000;

const RETENTION_MS = 30 * 24 * 3600 * 1000;

export interface ReadinessOptions {
  readonly namespace: string;
  /** Keep closed conversations for 30 days instead of the server's 24 hours. */
  readonly keepClosed: boolean;
  /** Aborts when the server has died or the time is up. */
  readonly signal: AbortSignal;
}

/**
 * Resolves when the server takes requests, has the namespace, and knows our search attributes.
 * @throws {Error} with the last reason, when the signal aborts first.
 */
export async function waitUntilReady(address: string, options: ReadinessOptions): Promise<void> {
  let reason: string | undefined = 'it did not take connections';
  while (!options.signal.aborted) {
    // A refused gRPC connection would be tried again and again until its timeout, so look first.
    if (await answers(address)) reason = await whatIsMissing(address, options);
    if (reason === undefined) return;
    await sleep(RETRY_MS, undefined, { signal: options.signal }).catch(() => {});
  }
  throw new Error(reason);
}

async function whatIsMissing(
  address: string,
  options: ReadinessOptions,
): Promise<string | undefined> {
  try {
    const connection = await Connection.connect({ address, connectTimeout: CONNECT_TIMEOUT_MS });
    try {
      return await connection.withAbortSignal(options.signal, async () => {
        const missing = await missingSearchAttributes(connection, options.namespace);
        if (missing.length > 0) return `search attributes ${missing.join(', ')} are not registered`;
        if (options.keepClosed) await keepClosed(connection, options.namespace);
        return undefined;
      });
    } finally {
      await connection.close();
    }
  } catch (error) {
    return messageOf(error);
  }
}

async function missingSearchAttributes(connection: Connection, namespace: string) {
  const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
  return Object.keys(SEARCH_ATTRIBUTE_TYPES).filter((name) => !(name in (customAttributes ?? {})));
}

async function keepClosed(connection: Connection, namespace: string): Promise<void> {
  const { workflowService } = connection;
  const described = await workflowService.describeNamespace({ namespace });
  const current = optionalTsToMs(described.config?.workflowExecutionRetentionTtl) ?? 0;
  if (current >= RETENTION_MS) return;
  const workflowExecutionRetentionTtl = msToTs(RETENTION_MS);
  await workflowService.updateNamespace({ namespace, config: { workflowExecutionRetentionTtl } });
}
