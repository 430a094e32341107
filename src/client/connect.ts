import {
  Client,
  Connection,
  type ConnectionOptions,
  defaultGrpcRetryOptions,
  makeGrpcRetryInterceptor,
} from '@temporalio/client';
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
  readonly connection: Connection;
  readonly address: string;
  readonly namespace: string;
}

const DEFAULT_ADDRESS = 'localhost:7233';
const DEFAULT_CONNECT_TIMEOUT_MS = 5_000;

/**
 * Connects with the settings of the Temporal profile and environment, overridden by the options.
 * A refused connection is reported at once, not after the timeout.
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

  let connected = false;
  const retry = defaultGrpcRetryOptions();
  const connection = Connection.lazy({
    ...(connectionOptions.tls === undefined ? {} : { tls: connectionOptions.tls }),
    ...(connectionOptions.apiKey === undefined ? {} : { apiKey: connectionOptions.apiKey }),
    ...(connectionOptions.metadata === undefined ? {} : { metadata: connectionOptions.metadata }),
    interceptors: [
      makeGrpcRetryInterceptor({
        ...retry,
        retryableDecider: (attempt, status) => connected && retry.retryableDecider(attempt, status),
      }),
    ],
    ...options.connection,
    address,
  });
  try {
    const deadline = Date.now() + (options.connectTimeoutMs ?? DEFAULT_CONNECT_TIMEOUT_MS);
    await connection.withDeadline(deadline, () => connection.workflowService.getSystemInfo({}));
    connected = true;
  } catch (error) {
    await connection.close();
    const known = toClientError(error, { address, namespace });
    throw known instanceof Error && known !== error
      ? known
      : new ServerUnreachable(address, { cause: error });
  }
  return { client: new Client({ connection, namespace }), connection, address, namespace };
}
