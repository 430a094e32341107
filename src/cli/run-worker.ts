import { type Config, readConfig } from '../config.ts';
import type { PerdureConfig } from '../define-config.ts';
import type { Duration } from '../core/duration.ts';

export interface WhereToServe {
  readonly address?: string | undefined;
  readonly namespace?: string | undefined;
  readonly taskQueue?: string | undefined;
  readonly dataDirectory?: string | undefined;
  readonly deployPatience?: Duration | undefined;
  /** Default: `PERDURE_LOG_LEVEL`. */
  readonly logLevel?: Config['logLevel'] | undefined;
  /** It polls. */
  readonly onReady: (worker: {
    readonly agents: readonly string[];
    readonly taskQueue: string;
  }) => void;
}

/** Serves the agents until the process is told to end (SIGINT, SIGTERM), and then ends in order. */
export async function runWorker(config: PerdureConfig, where: WhereToServe): Promise<void> {
  // Loaded only here: it brings Temporal's native library and the bundler.
  const [{ startWorker }, { installLogger }] = await Promise.all([
    import('../worker.ts'),
    import('../worker/install-logger.ts'),
  ]);
  installLogger(where.logLevel ?? readConfig().logLevel);
  const { address, namespace, taskQueue, dataDirectory, deployPatience } = where;
  const worker = await startWorker(
    {
      ...config,
      ...(taskQueue === undefined ? {} : { taskQueue }),
      ...(dataDirectory === undefined ? {} : { dataDir: dataDirectory }),
      ...(deployPatience === undefined ? {} : { deployPatience }),
    },
    { address, namespace },
  );
  const shutdown = () => worker.shutdown();
  process.on('SIGINT', shutdown);
  process.on('SIGTERM', shutdown);
  try {
    const running = worker.run();
    where.onReady(worker);
    await running;
  } finally {
    process.off('SIGINT', shutdown);
    process.off('SIGTERM', shutdown);
  }
}
