import { execFileSync, spawn } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { chown, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import pg from 'pg';
import { findProgram } from '../support/find-program.ts';
import { freePorts } from '../support/free-ports.ts';
import { stopProcess, untilReady } from '../support/server-process.ts';

export interface RunningPostgres {
  readonly connectionString: string;
  stop(): Promise<void>;
}

/** A PostgreSQL of its own on a free port, in a temporary directory; `undefined` where none is installed. */
export async function startPostgres(): Promise<RunningPostgres | undefined> {
  const initdb = findProgram('initdb', 'apt-get install postgresql', debianFolders());
  if (initdb === undefined) return undefined;
  const directory = await mkdtemp(join(tmpdir(), 'perdure-postgres-'));
  const user = unprivilegedUser();
  if (user.uid !== undefined && user.gid !== undefined) await chown(directory, user.uid, user.gid);
  const data = join(directory, 'data');
  execFileSync(
    initdb,
    ['-D', data, '-U', 'perdure', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'],
    { ...user, cwd: directory, stdio: 'pipe' },
  );
  const [port] = await freePorts(1);
  const server = spawn(
    join(dirname(initdb), 'postgres'),
    ['-D', data, '-p', `${port}`, '-h', '127.0.0.1', '-c', 'unix_socket_directories=', '-F'],
    { ...user, cwd: directory, stdio: 'ignore' },
  );
  const connectionString = `postgres://perdure@127.0.0.1:${port}/postgres`;
  const stop = async (): Promise<void> => {
    await stopProcess(server, 'SIGINT');
    await rm(directory, { recursive: true, force: true });
  };
  await untilReady(server, stop, async () => {
    const client = new pg.Client({ connectionString });
    await client.connect();
    await client.end();
  });
  return { connectionString, stop };
}

/** Debian keeps the server's programs out of PATH, in a folder per version. */
function debianFolders(): readonly string[] {
  const root = '/usr/lib/postgresql';
  if (!existsSync(root)) return [];
  const newestFirst = readdirSync(root).sort((a, b) => Number(b) - Number(a));
  return newestFirst.map((version) => join(root, version, 'bin'));
}

/** PostgreSQL refuses to run as root. */
function unprivilegedUser(): { readonly uid?: number; readonly gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const idOf = (flag: string): number =>
    Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  return { uid: idOf('-u'), gid: idOf('-g') };
}
