import { afterAll, beforeAll } from 'vitest';
import type { Agent } from '../../src/tools/agent.ts';
import type { WorkerInternals } from '../../src/worker.ts';
import type { PerdureConfig } from '../../src/define-config.ts';
import { type Served, withWorker } from './with-worker.ts';

/** One worker for all tests of a file; what it gives is there once the tests run. */
export function serveAgents(
  config: Omit<PerdureConfig, 'agents'> & {
    readonly agents: readonly Agent<never>[];
    readonly internals?: WorkerInternals;
  },
): Served {
  let served: Served | undefined;
  let finish: () => void = () => {};
  let ended: Promise<unknown> = Promise.resolve();
  beforeAll(async () => {
    const ready = new Promise<Served>((resolve, reject) => {
      ended = withWorker(config, (given) => {
        resolve(given);
        return new Promise<void>((done) => {
          finish = done;
        });
      }).catch(reject);
    });
    served = await ready;
  });
  afterAll(async () => {
    finish();
    await ended;
  });
  const given = (): Served => {
    if (served === undefined) throw new Error('the worker is there once the tests run');
    return served;
  };
  return {
    get client() {
      return given().client;
    },
    get taskQueue() {
      return given().taskQueue;
    },
    get dataDirectory() {
      return given().dataDirectory;
    },
  };
}
