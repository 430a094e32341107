import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '../core/describe-error.ts';
import { lockDataDirectory, serverDirectory } from './data-directory-lock.ts';
import { findTemporalCli } from './find-temporal-cli.ts';
import { expectFreePort, freePort, LOOPBACK } from './free-port.ts';
import { serverArguments } from './server-arguments.ts';
import { startServerProcess, type ProcessEnd, type ServerProcess } from './server-process.ts';
import type { TemporalCli } from './temporal-cli-version.ts';
import { waitUntilReady } from './wait-until-ready.ts';

const DEFAULT_READY_TIMEOUT_MS = 60_000;
const PORT_TRIES = 3;

export interface EmbeddedServerOptions {
  /** Keeps conversations here, in `temporal/`. Absent: in memory, gone with the server. */
  readonly dataDirectory?: string;
  /** Default: a free one. */
  readonly port?: number;
  /** Default: a free one. */
  readonly uiPort?: number;
  /**
   * Of Temporal's HTTP API, which takes requests from any page that a browser here shows. Default:
   * one that nobody is told.
   */
  readonly httpPort?: number;
  /** Created when it is not there. Default `default`. */
  readonly namespace?: string;
  /** No UI. Default false. */
  readonly headless?: boolean;
  /** The dev server's own speed settings instead of ours, to measure against. Default false. */
  readonly withDefaults?: boolean;
  /** How long it may take to start. Default 60 s. */
  readonly readyTimeoutMs?: number;
  /** Told what is fetched and why, and the server's own log lines. Default: nobody is told. */
  readonly log?: (line: string) => void;
}

export interface EmbeddedServer {
  /** `host:port` of the gRPC service. */
  readonly address: string;
  /** URL of the Temporal UI; absent when headless. */
  readonly uiAddress?: string;
  readonly namespace: string;
  /** The server's own process. */
  readonly pid: number;
  /** Resolves when the server has ended: with an error unless `stop` ended it. Never rejects. */
  readonly ended: Promise<EmbeddedServerDied | undefined>;
  /** Ends it and resolves when it is gone. */
  stop(): Promise<void>;
}

/**
 * Starts Temporal's dev server on this machine's loopback address and resolves when it is ready:
 * namespace there, search attributes registered. It ends with this process, however this process ends.
 * @throws {TemporalCliNotFound} {@link PortInUse} {@link DataDirectoryInUse} {@link EmbeddedServerDied}
 */
export async function startEmbeddedServer(
  options: EmbeddedServerOptions = {},
): Promise<EmbeddedServer> {
  const log = options.log ?? (() => {});
  const cli = await findTemporalCli({ log });
  for (let triesLeft = PORT_TRIES - 1; ; triesLeft -= 1) {
    try {
      return await startServer(cli, options, log);
    } catch (error) {
      // Another program took a port after it was found to be free.
      const lostPort = error instanceof EmbeddedServerDied && /already in use/.test(error.logTail);
      if (!lostPort || triesLeft === 0) throw error;
    }
  }
}

async function startServer(
  cli: TemporalCli,
  options: EmbeddedServerOptions,
  log: (line: string) => void,
): Promise<EmbeddedServer> {
  const namespace = options.namespace ?? 'default';
  const port = await chosenPort(options.port, 'Temporal');
  const uiPort = options.headless ? undefined : await chosenPort(options.uiPort, 'Temporal UI');
  const { httpPort } = options;
  if (httpPort !== undefined) await expectFreePort(httpPort, 'Temporal HTTP API');
  const address = `${LOOPBACK}:${port}`;
  const found = {
    address,
    namespace,
    ...(uiPort && { uiAddress: `http://${LOOPBACK}:${uiPort}` }),
  };

  const directory = options.dataDirectory && serverDirectory(options.dataDirectory);
  if (directory) await mkdir(directory, { recursive: true });
  const unlock = options.dataDirectory
    ? await lockDataDirectory(options.dataDirectory, found)
    : async () => {};
  try {
    const databaseFile = directory && (await databaseOf(directory, cli, log));
    const args = serverArguments({
      port,
      namespace,
      withDefaults: options.withDefaults ?? false,
      ...(uiPort && { uiPort }),
      ...(httpPort && { httpPort }),
      ...(databaseFile && { databaseFile }),
    });
    const server = startServerProcess(cli.path, args, log);
    const running = await untilReady(server, { ...options, ...found });
    const ended = running.ended.finally(unlock);
    return {
      ...found,
      pid: server.pid,
      ended,
      stop: async () => {
        running.expectEnd();
        await server.stop();
        await ended;
      },
    };
  } catch (error) {
    await unlock();
    throw error;
  }
}

/** The embedded server ended although nobody stopped it, or did not become ready. */
export class EmbeddedServerDied extends Error {
  override readonly name = 'EmbeddedServerDied';
  /** The last lines that the server wrote. */
  readonly logTail: string;

  constructor(what: string, logTail: string) {
    super(`the embedded Temporal server ${what}. Its last words:\n${logTail || '(none)'}`);
    this.logTail = logTail;
  }
}

async function chosenPort(port: number | undefined, purpose: string): Promise<number> {
  if (port === undefined) return freePort();
  await expectFreePort(port, purpose);
  return port;
}

/** The dev server cannot migrate a database, so each server version has a file of its own. */
async function databaseOf(directory: string, cli: TemporalCli, log: (line: string) => void) {
  const name = `server-${cli.serverVersion}.sqlite`;
  const names = (await readdir(directory)).filter((file) => file.endsWith('.sqlite'));
  if (names.length > 0 && !names.includes(name)) {
    log(
      `The Temporal CLI ${cli.path} has server ${cli.serverVersion}, and the conversations in ${directory} were made with another (${names.join(', ')}): it starts with an empty database ${name}. Use the former CLI to see them.`,
    );
  }
  return join(directory, name);
}

interface UntilReadyOptions {
  readonly address: string;
  readonly namespace: string;
  readonly dataDirectory?: string;
  readonly readyTimeoutMs?: number;
}

async function untilReady(server: ServerProcess, options: UntilReadyOptions) {
  let isEndExpected = false;
  const ended = server.ended.then((end) =>
    isEndExpected ? undefined : new EmbeddedServerDied(`died (${inWords(end)})`, end.logTail),
  );
  const timeoutMs = options.readyTimeoutMs ?? DEFAULT_READY_TIMEOUT_MS;
  const died = new AbortController();
  void server.ended.then(() => died.abort());
  const signal = AbortSignal.any([died.signal, AbortSignal.timeout(timeoutMs)]);
  const keepClosed = options.dataDirectory !== undefined;
  try {
    await waitUntilReady(options.address, { namespace: options.namespace, keepClosed, signal });
  } catch (error) {
    if (died.signal.aborted) throw (await ended) ?? error;
    await server.stop();
    const { logTail } = await server.ended;
    const reason = messageOf(error);
    throw new EmbeddedServerDied(`was not ready within ${timeoutMs / 1000} s: ${reason}`, logTail);
  }
  return { ended, expectEnd: () => (isEndExpected = true) };
}

function inWords({ code, signal }: ProcessEnd): string {
  return signal === null ? `exit code ${code ?? 'none'}` : `signal ${signal}`;
}
