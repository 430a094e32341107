import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { findProgram } from '../support/find-program.ts';
import { freePorts } from '../support/free-ports.ts';
import { stopProcess, untilReady } from '../support/server-process.ts';

export interface RunningRedis {
  readonly url: string;
  /** Stops the process where it stands; everything in memory stays. */
  pause(): void;
  resume(): void;
  /** Ends it, saving what it holds, and starts it again on the same port. */
  stop(): Promise<void>;
  start(): Promise<void>;
  /** Ends it where it stands, as a crash would. */
  kill(): Promise<void>;
  remove(): Promise<void>;
}

/** A Redis of its own on a free port, in a temporary directory; `undefined` where none is installed. */
export async function startRedis(): Promise<RunningRedis | undefined> {
  const program = findProgram('redis-server', 'apt-get install redis-server');
  if (program === undefined) return undefined;
  const directory = await mkdtemp(join(tmpdir(), 'perdure-redis-'));
  const [port] = await freePorts(1);
  const url = `redis://127.0.0.1:${port}`;
  const place = ['--port', `${port}`, '--bind', '127.0.0.1', '--dir', directory];
  const launch = async (): Promise<ReturnType<typeof spawn>> => {
    const server = spawn(
      program,
      [
        ...place,
        '--appendonly',
        'yes',
        // So that what it answered is in the file: while the default's sync is slow, it answers first.
        '--appendfsync',
        'no',
      ],
      { stdio: 'ignore' },
    );
    await untilReady(
      server,
      () => stopProcess(server, 'SIGKILL'),
      () => ping(url),
    );
    return server;
  };
  let server = await launch();
  return {
    url,
    pause: () => server.kill('SIGSTOP'),
    resume: () => server.kill('SIGCONT'),
    stop: () => stopProcess(server, 'SIGTERM'),
    start: async () => {
      server = await launch();
    },
    kill: () => stopProcess(server, 'SIGKILL'),
    remove: async () => {
      await stopProcess(server, 'SIGKILL');
      await rm(directory, { recursive: true, force: true });
    },
  };
}

async function ping(url: string): Promise<void> {
  const redis = new Redis(url, { lazyConnect: true, retryStrategy: () => null });
  redis.on('error', () => {});
  try {
    await redis.ping();
  } finally {
    redis.disconnect();
  }
}
