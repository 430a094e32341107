import { messageOf } from '../../core/describe-error.ts';
import type { Serve } from './messages.ts';
import type { WorkerProcess } from './worker-process.ts';

/** A worker process that is always there, whatever it dies of. */
export interface KeptWorker {
  /** Lets a new process take over; the old one finishes what it must. */
  restart(): void;
  /** Ends all processes; a second call kills them. */
  stop(): Promise<void>;
}

/** A process that dies again and again must not keep the machine busy. */
const RESTART_PAUSE_MS = 1_000;

/** Keeps a worker process running that was started and serves already. */
export function keepWorker(
  first: WorkerProcess,
  options: {
    readonly start: () => WorkerProcess;
    readonly where: Serve;
    readonly log: (line: string) => void;
  },
): KeptWorker {
  const { start, where, log } = options;
  const living = new Set<WorkerProcess>();
  let current = first;
  let isStopping = false;

  function take(worker: WorkerProcess, isReady: Promise<void>): void {
    current = worker;
    living.add(worker);
    let wasReady = false;
    isReady.then(
      () => {
        wasReady = true;
      },
      () => {},
    );
    void worker.ended.then((how) => {
      living.delete(worker);
      if (isStopping || worker !== current) return;
      if (!wasReady) return;
      log(`the worker process died (${how}): another one takes over`);
      setTimeout(() => {
        if (!isStopping && worker === current) begin();
      }, RESTART_PAUSE_MS);
    });
  }

  function begin(): void {
    const worker = start();
    worker.serve(where);
    take(worker, worker.ready);
    worker.ready.then(
      () => log('ready'),
      (error: unknown) => {
        const why = messageOf(error);
        if (!isStopping && worker === current) log(`${why}; change a file, and it is tried again`);
      },
    );
  }

  take(first, first.ready);
  return {
    restart: () => {
      if (isStopping) return;
      const former = current;
      begin();
      if (living.has(former)) void former.stop();
    },
    stop: async () => {
      if (isStopping) for (const worker of living) worker.kill();
      isStopping = true;
      await Promise.all([...living].map((worker) => worker.stop()));
    },
  };
}
