import {
  Client,
  Connection,
  type ConnectionOptions,
  defaultGrpcRetryOptions,
  type GrpcRetryOptions,
  makeGrpcRetryInterceptor,
} from '@temporalio/client';
import { setTimeout as sleep } from 'node:timers/promises';
import { loadClientConnectConfig } from '@temporalio/envconfig';
import { ServerUnreachable } from './errors/server-unreachable.ts';
import { toClientError } from './to-client-error.ts';

export interface ConnectOptions {
  /** `host:port`; default: the Temporal profile or `TEMPORAL_ADDRESS`, then `localhost:7233`. */
  readonly address?: string | undefined;
  /** Default: the Temporal profile or `TEMPORAL_NAMESPACE`, then `default`. */
  readonly namespace?: string | undefined;
  /** Name of the Temporal profile; default `TEMPORAL_PROFILE`, then `default`. */
  readonly profile?: string | undefined;
  /** TLS, API key, metadata, …: on top of what the profile says. */
  readonly connection?: Partial<ConnectionOptions> | undefined;
  /** Milliseconds until a server that does not answer counts as unreachable; default 5,000. */
  readonly connectTimeoutMs?: number | undefined;
}

export interface Connected {
  readonly client: Client;
  readonly address: string;
  readonly namespace: string;
  /** Closes the connection. */
  close(): Promise<void>;
}

const DEFAULT_ADDRESS = 'localhost:7233';
const DEFAULT_CONNECT_TIMEOUT_MS = 5_000;
/** A page of history can have several events of 2 MiB; the library's own limit is 4 MiB. */
const MAX_RECEIVED_BYTES = 64 * 1024 * 1024;
/** How late a timer may fire. */
const TIMER_SLACK_MS = 50;

/**
 * Connects with the settings of the Temporal profile and environment, overridden by the options.
 * @throws {ServerUnreachable} when no server answers.
 */
export async function connect(options: ConnectOptions = {}): Promise<Connected> {
  const profile = loadClientConnectConfig(
    options.profile === undefined ? {} : { profile: options.profile },
  );
  const { connectionOptions } = profile;
  const address =
    options.address ?? options.connection?.address ?? connectionOptions.address ?? DEFAULT_ADDRESS;
  const namespace = options.namespace ?? profile.namespace ?? 'default';

  const retries = new Retries();
  const connection = Connection.lazy({
    ...(connectionOptions.tls === undefined ? {} : { tls: connectionOptions.tls }),
    ...(connectionOptions.apiKey === undefined ? {} : { apiKey: connectionOptions.apiKey }),
    ...(connectionOptions.metadata === undefined ? {} : { metadata: connectionOptions.metadata }),
    interceptors: [makeGrpcRetryInterceptor(retries.options)],
    ...options.connection,
    channelArgs: {
      'grpc.max_receive_message_length': MAX_RECEIVED_BYTES,
      ...options.connection?.channelArgs,
    },
    address,
  });
  try {
    const deadline = Date.now() + (options.connectTimeoutMs ?? DEFAULT_CONNECT_TIMEOUT_MS);
    await connection.withDeadline(deadline, () => connection.workflowService.getSystemInfo({}));
    retries.isOn = true;
  } catch (error) {
    await connection.close();
    const known = toClientError(error, { address, namespace });
    throw known instanceof Error && known !== error
      ? known
      : new ServerUnreachable(address, { cause: error });
  }
  const close = async () => {
    retries.isOn = false;
    await retries.settled();
    await connection.close();
  };
  return { client: new Client({ connection, namespace }), address, namespace, close };
}

/**
 * The SDK's own retries of failed calls, but none before the server has answered once: a refused
 * connection is reported at once. A retry that is on its way when the connection closes would throw
 * where nobody can catch it: it is waited for.
 */
class Retries {
  isOn = false;
  #lastDueMs = 0;
  readonly #defaults = defaultGrpcRetryOptions();

  get options(): GrpcRetryOptions {
    return {
      retryableDecider: (attempt, status) =>
        this.isOn && this.#defaults.retryableDecider(attempt, status),
      delayFunction: (attempt, status) => {
        const delayMs = this.#defaults.delayFunction(attempt, status);
        this.#lastDueMs = Math.max(this.#lastDueMs, Date.now() + delayMs);
        return delayMs;
      },
    };
  }

  async settled(): Promise<void> {
    const waitMs = this.#lastDueMs - Date.now();
    if (waitMs > -TIMER_SLACK_MS) await sleep(Math.max(waitMs, 0) + TIMER_SLACK_MS);
  }
}
