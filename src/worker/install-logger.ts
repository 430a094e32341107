import { DefaultLogger, makeTelemetryFilterString, Runtime } from '@temporalio/worker';
import type { Config } from '../config.ts';

/**
 * Sets what the worker of this process logs, to stderr: its own lines and those of Temporal's core
 * alike. Once, before a worker is made; a program that has set up its `Runtime` has done so itself.
 */
export function installLogger(level: Config['logLevel']): void {
  const core = level === 'debug' ? 'INFO' : level === 'error' ? 'ERROR' : 'WARN';
  Runtime.install({
    logger: new DefaultLogger(NAMES[level]),
    telemetryOptions: {
      logging: { filter: makeTelemetryFilterString({ core, other: 'ERROR' }), forward: {} },
    },
  });
}

const NAMES = { debug: 'DEBUG', info: 'INFO', warn: 'WARN', error: 'ERROR' } as const;
