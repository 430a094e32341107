import { watch } from 'chokidar';
import { type EmbeddedServer, startEmbeddedServer } from '../../embedded-server/embedded-server.ts';
import { expectFreePort, PortInUse } from '../../embedded-server/free-port.ts';
import { keepWorker } from './keep-worker.ts';
import type { Serve } from './messages.ts';
import { startWorkerProcess } from './worker-process.ts';

export interface DevOptions {
  /** Absolute. */
  readonly agentsFile: string;
  readonly dataDirectory: string;
  readonly port?: number | undefined;
  readonly uiPort?: number | undefined;
  readonly httpPort?: number | undefined;
  readonly namespace?: string | undefined;
  readonly taskQueue?: string | undefined;
  readonly debug: boolean;
  /** Remarks for the person at the terminal. */
  readonly log: (line: string) => void;
}

export interface DevSession {
  readonly server: EmbeddedServer;
  readonly agents: readonly string[];
  /** Resolves when the server has ended although nobody stopped it. */
  readonly died: Promise<Error>;
  /** Ends worker and server; a second call makes it quick. */
  stop(): Promise<void>;
}

const DEFAULT_PORT = 7233;
const DEFAULT_UI_PORT = 8233;
/** What the server says of itself at its start; and as it ends it complains about all that is cut off. */
const BANNER = /^\s*$|^Temporal (CLI|Server|Persistence|UI|Metrics)/;
/** Editors write a file in several steps, and formatters after them. */
const SETTLED_MS = 150;

/**
 * Starts the embedded server and, at the same time, a process that loads the agents; then lets it
 * serve them. On a change of a file that was loaded, a new process takes over.
 * @throws {WorkerEnded} when the agents file is not usable; the server is stopped again.
 */
export async function startDevSession(options: DevOptions): Promise<DevSession> {
  const { agentsFile, dataDirectory, debug, log } = options;
  const files = watch(agentsFile, { ignoreInitial: true });
  const start = () =>
    startWorkerProcess(agentsFile, { debug, onImport: (file) => void files.add(file) });
  const worker = start();
  let isEnding = false;
  const serverLog = (line: string) => {
    if (debug || !(isEnding || BANNER.test(line))) log(line);
  };
  let server: EmbeddedServer | undefined;
  try {
    const starting = startServer(options, serverLog);
    worker.loaded.catch(() => {
      isEnding = true;
    });
    const [started, agents] = await bothOrNeither(starting, worker.loaded);
    server = started;
    const { address, namespace, ended } = server;
    const where: Serve = { address, namespace, dataDirectory, taskQueue: options.taskQueue };
    worker.serve(where);
    await worker.ready;
    const kept = keepWorker(worker, { start, where, log });
    const changed = debounced(() => {
      log('a file has changed: the agents are loaded again');
      kept.restart();
    });
    files.on('all', changed);
    return {
      server: started,
      agents,
      died: new Promise((resolve) => {
        void ended.then((death) => {
          if (death !== undefined) resolve(death);
        });
      }),
      stop: async () => {
        isEnding = true;
        await files.close();
        await kept.stop();
        await started.stop();
      },
    };
  } catch (error) {
    await Promise.all([files.close(), worker.stop()]);
    await server?.stop();
    throw error;
  }
}

/** The usual ports when they are free and nobody asked for others. */
async function startServer(
  options: DevOptions,
  log: (line: string) => void,
): Promise<EmbeddedServer> {
  const port = options.port ?? (await ifFree(DEFAULT_PORT));
  const uiPort = options.uiPort ?? (await ifFree(DEFAULT_UI_PORT));
  return startEmbeddedServer({
    dataDirectory: options.dataDirectory,
    ...(port === undefined ? {} : { port }),
    ...(uiPort === undefined ? {} : { uiPort }),
    ...(options.httpPort === undefined ? {} : { httpPort: options.httpPort }),
    ...(options.namespace === undefined ? {} : { namespace: options.namespace }),
    log,
  });
}

async function ifFree(port: number): Promise<number | undefined> {
  try {
    await expectFreePort(port, 'perdure dev');
    return port;
  } catch (error) {
    if (error instanceof PortInUse) return undefined;
    throw error;
  }
}

/** Both results, or the first error after the server, if it came up all the same, was stopped. */
async function bothOrNeither(
  server: Promise<EmbeddedServer>,
  loaded: Promise<readonly string[]>,
): Promise<[EmbeddedServer, readonly string[]]> {
  try {
    return await Promise.all([server, loaded]);
  } catch (error) {
    const started = await server.catch(() => undefined);
    await started?.stop();
    throw error;
  }
}

function debounced(act: () => void): () => void {
  let timer: NodeJS.Timeout | undefined;
  return () => {
    clearTimeout(timer);
    timer = setTimeout(act, SETTLED_MS);
  };
}
