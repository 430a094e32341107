import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Client, Connection } from '@temporalio/client';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  DataDirectoryInUse,
  findRunningServer,
} from '../../src/embedded-server/data-directory-lock.ts';
import {
  EmbeddedServerDied,
  startEmbeddedServer,
  type EmbeddedServer,
} from '../../src/embedded-server/embedded-server.ts';
import { findTemporalCli } from '../../src/embedded-server/find-temporal-cli.ts';
import { PortInUse } from '../../src/embedded-server/free-port.ts';

const servers: EmbeddedServer[] = [];
let dataDirectory = '';

beforeEach(async () => {
  dataDirectory = await mkdtemp(join(tmpdir(), 'perdure-embedded-'));
});

afterEach(async () => {
  vi.unstubAllEnvs();
  await Promise.all(servers.splice(0).map((server) => server.stop()));
  await rm(dataDirectory, { recursive: true, force: true });
});

async function start(options: Parameters<typeof startEmbeddedServer>[0] = {}) {
  const server = await startEmbeddedServer({ headless: true, ...options });
  servers.push(server);
  return server;
}

async function inClient<Result>(
  server: EmbeddedServer,
  use: (client: Client) => Promise<Result>,
): Promise<Result> {
  const connection = await Connection.connect({ address: server.address });
  try {
    return await use(new Client({ connection, namespace: server.namespace }));
  } finally {
    await connection.close();
  }
}

describe('the embedded server', () => {
  test('is ready with its namespace and our search attributes, and keeps closed conversations', async () => {
    const server = await start({ dataDirectory, namespace: 'desk' });
    await inClient(server, async ({ connection }) => {
      const { customAttributes } = await connection.operatorService.listSearchAttributes({
        namespace: 'desk',
      });
      expect(Object.keys(customAttributes ?? {})).toEqual(
        expect.arrayContaining(['PerdureStatus', 'PerdurePending', 'PerdureTenant', 'PerdureTags']),
      );
      const { config } = await connection.workflowService.describeNamespace({ namespace: 'desk' });
      expect(Number(config?.workflowExecutionRetentionTtl?.seconds)).toBe(30 * 24 * 3600);
    });
  });

  test('has what it was given after it was killed and started again on the same directory', async () => {
    const first = await start({ dataDirectory });
    await inClient(first, (client) =>
      client.workflow.start('agent', { workflowId: 'kept', taskQueue: 'nobody' }),
    );
    process.kill(first.pid, 'SIGKILL');
    const end = await first.ended;
    expect(end).toBeInstanceOf(EmbeddedServerDied);
    expect(end?.message).toContain('signal SIGKILL');

    const port = Number(first.address.split(':')[1]);
    const second = await start({ dataDirectory, port });
    expect(second.address).toBe(first.address);
    const { status } = await inClient(second, (client) =>
      client.workflow.getHandle('kept').describe(),
    );
    expect(status.name).toBe('RUNNING');
  });

  test('refuses a data directory that another server uses, and tells where that one is', async () => {
    const server = await start({ dataDirectory });
    const second = startEmbeddedServer({ dataDirectory, headless: true });
    await expect(second).rejects.toThrow(DataDirectoryInUse);
    await expect(second).rejects.toThrow(`${dataDirectory} is in use`);
    expect(await findRunningServer(dataDirectory)).toMatchObject({
      address: server.address,
      ownerPid: process.pid,
    });
    await server.stop();
    expect(await findRunningServer(dataDirectory)).toBeUndefined();
    await start({ dataDirectory });
  });

  test('refuses a port that another program has', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const address = other.address();
    if (address === null || typeof address === 'string') throw new Error('expected a TCP port');
    try {
      const starting = startEmbeddedServer({ port: address.port, headless: true });
      await expect(starting).rejects.toThrow(PortInUse);
      await expect(starting).rejects.toThrow(`port ${address.port} (Temporal) is in use`);
    } finally {
      other.close();
    }
  });

  test('tries another port when a free one was taken before the server could have it', async () => {
    const { path } = await findTemporalCli();
    const tried = join(dataDirectory, 'tried');
    const temporal = join(dataDirectory, 'temporal');
    await writeFile(
      temporal,
      `#!/bin/sh
      if [ "$1" = server ] && [ ! -e '${tried}' ]; then
        touch '${tried}'
        echo 'bind: address already in use' >&2
        exit 1
      fi
      exec '${path}' "$@"\n`,
      { mode: 0o755 },
    );
    vi.stubEnv('PATH', `${dataDirectory}:${process.env['PATH']}`);
    const server = await start();
    await inClient(server, ({ connection }) => connection.workflowService.getSystemInfo({}));
    await access(tried);
  });

  test('says what the server said when it cannot start, and gives the directory back', async () => {
    const first = await start({ dataDirectory });
    await first.stop();
    const directory = join(dataDirectory, 'temporal');
    for (const file of await readdir(directory)) {
      await writeFile(join(directory, file), 'these bytes are no database');
    }
    const starting = startEmbeddedServer({ dataDirectory, headless: true });
    await expect(starting).rejects.toThrow(EmbeddedServerDied);
    await expect(starting).rejects.toThrow('file is not a database');
    expect(await readdir(directory)).not.toContain('server.json');
  });

  test('ends when the process that started it is killed, and leaves the directory free', async () => {
    const program = `
      const { startEmbeddedServer } = await import(${JSON.stringify(
        new URL('../../src/embedded-server/embedded-server.ts', import.meta.url).href,
      )});
      const server = await startEmbeddedServer({ dataDirectory: process.argv[1], headless: true });
      console.log(server.pid);
    `;
    const owner = spawn(
      process.execPath,
      ['--import', 'tsx', '--input-type=module', '--eval', program, dataDirectory],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    const [line] = await once(createInterface({ input: owner.stdout }), 'line');
    const serverPid = Number(line);
    process.kill(serverPid, 0);
    owner.kill('SIGKILL');
    await once(owner, 'exit');

    await expect.poll(() => isRunning(serverPid), { timeout: 15_000 }).toBe(false);
    await start({ dataDirectory });
    expect(await readdir(join(dataDirectory, 'temporal'))).toContain('server.json');
  });

  test('runs with the dev server defaults to measure against', async () => {
    const server = await start({ dataDirectory, withDefaults: true });
    await inClient(server, ({ connection }) => connection.workflowService.getSystemInfo({}));
    const files = await readdir(join(dataDirectory, 'temporal'));
    expect(files.filter((name) => name.endsWith('-wal'))).toEqual([]);
  });
});

/** A process that has ended but was not collected by its parent counts as ended. */
async function isRunning(pid: number): Promise<boolean> {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  const ps = spawn('ps', ['-o', 'stat=', '-p', String(pid)]);
  let state = '';
  for await (const chunk of ps.stdout) state += String(chunk);
  return state.trim() !== '' && !state.trim().startsWith('Z');
}
