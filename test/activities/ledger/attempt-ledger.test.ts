import { connect } from 'node:net';
import {
  chmod,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rmdir,
  rename,
  rm,
  stat,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { claimDeadLedgers } from '../../../src/activities/ledger/claim-dead-ledgers.ts';
import type { AttemptRecord } from '../../../src/activities/ledger/attempt-ledger.ts';
import { createNoLedger } from '../../../src/activities/ledger/no-ledger.ts';
import { openAttemptLedger } from '../../../src/activities/ledger/open-attempt-ledger.ts';
import { type Child, startChild } from './fixtures/child-process.ts';

let directory: string;
let warnings: { message: string; fields?: Record<string, unknown> | undefined }[];
let children: Child[];

const log = {
  info: () => {},
  warn: (message: string, fields?: Record<string, unknown>) => warnings.push({ message, fields }),
};
const ownId = '00000000deadbeef';
const claim = (as = ownId) => claimDeadLedgers({ directory, ownId: as, log });

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'ledger-'));
  warnings = [];
  children = [];
});

afterEach(async () => {
  for (const child of children) await child.kill();
  await rm(directory, { recursive: true, force: true });
});

async function startHolder(attempts = 1): Promise<{ child: Child; id: string }> {
  const child = startChild('ledger-process.ts', { directory });
  children.push(child);
  const id = String(await child.saying('id'));
  for (let n = 0; n < attempts; n += 1) {
    child.tell('begin');
    await child.saying('begun');
  }
  return { child, id };
}

function record(n: number): AttemptRecord {
  const text = String(n);
  return {
    taskToken: text,
    namespace: 'default',
    workflowId: text,
    runId: text,
    activityId: text,
    activityType: text,
  };
}

const activityIds = (claims: Awaited<ReturnType<typeof claim>>) =>
  claims.flatMap(({ ledger }) => ledger.attempts.map(({ record: { workflowId } }) => workflowId));

describe('a process that holds a ledger', () => {
  test('is found dead after kill -9, with the attempts that it was running', async () => {
    const { child } = await startHolder(2);
    await child.kill();
    expect(activityIds(await claim())).toEqual(['workflow 1', 'workflow 2']);
  });

  test('is not found dead while it runs', async () => {
    await startHolder();
    expect(await claim()).toEqual([]);
  });

  test('is not found dead while it is stopped, even when its backlog of connections is full', async () => {
    const { child, id } = await startHolder();
    child.signal('SIGSTOP');
    expect(await claim()).toEqual([]);
    const refusals = await Promise.all(
      Array.from({ length: 600 }, () => outcomeOfConnecting(join(directory, `${id}.sock`))),
    );
    expect(refusals).toContain('EAGAIN');
    expect(await claim()).toEqual([]);
  });

  test('leaves nothing when it ends in order', async () => {
    const { child } = await startHolder();
    child.tell('close');
    await child.saying('closed');
    expect(await readdir(directory)).toEqual([]);
  });

  test('writes a file and a socket that only its user can use', async () => {
    const { id } = await startHolder();
    for (const suffix of ['ledger', 'sock']) {
      expect((await stat(join(directory, `${id}.${suffix}`))).mode & 0o777).toBe(0o600);
    }
  });
});

describe('a dead process’s ledger', () => {
  test('is believed up to a line that the kill tore', async () => {
    const { child, id } = await startHolder(2);
    await child.kill();
    const path = join(directory, `${id}.ledger`);
    const whole = await readFile(path, 'utf8');
    await writeFile(path, whole.slice(0, -10));
    expect(activityIds(await claim())).toEqual(['workflow 1']);
  });

  test('is claimed by exactly one of several sweepers', async () => {
    const { child } = await startHolder();
    await child.kill();
    const claims = await Promise.all(['aaaa', 'bbbb', 'cccc'].map((as) => claim(as)));
    expect(claims.flat()).toHaveLength(1);
  });

  test('stays with a claimer that lives, and goes to another when the claimer died', async () => {
    const claimer = await startHolder(0);
    const { child, id } = await startHolder();
    await child.kill();
    const path = join(directory, `${id}.${claimer.id}.claim`);
    await rename(join(directory, `${id}.ledger`), path);
    expect(await claim()).toEqual([]);
    await claimer.child.kill();
    expect(activityIds(await claim())).toEqual(['workflow 1']);
  });

  test('is claimed again by the process that could not deliver it the first time', async () => {
    const { child } = await startHolder();
    await child.kill();
    await claim();
    expect(activityIds(await claim())).toEqual(['workflow 1']);
  });

  test.each([
    ['that others can read', 'expected mode 600', (path: string) => chmod(path, 0o644)],
    ['of another form', 'not a ledger', (path: string) => writeFile(path, 'something else')],
    [
      'under another name',
      'another name',
      (path: string) => rename(path, join(directory, 'ffff.ledger')),
    ],
  ])('is ignored with a line in the log when it is a file %s', async (_, reason, change) => {
    const { child, id } = await startHolder();
    await child.kill();
    await change(join(directory, `${id}.ledger`));
    expect(await claim()).toEqual([]);
    expect(warnings).toHaveLength(1);
    expect(warnings[0]?.fields?.['reason']).toContain(reason);
  });

  test('of another boot is claimed once it has not been touched for a while', async () => {
    const { child, id } = await startHolder();
    const path = join(directory, `${id}.ledger`);
    const text = await readFile(path, 'utf8');
    await child.kill();
    await writeFile(path, text.replace(/"bootId":"[^"]*"/, '"bootId":"another"'));
    expect(await claim()).toEqual([]);
    const before = new Date(Date.now() - 60_000);
    await utimes(path, before, before);
    expect(activityIds(await claim())).toEqual(['workflow 1']);
  });
});

describe('a ledger', () => {
  const open = () => openAttemptLedger({ directory, identity: 'test', log });

  /** What a sweeper would find if this process died now. */
  async function onDisk(id: string | undefined): Promise<readonly string[]> {
    const copy = 'ffffffffffffffff';
    const text = await readFile(join(directory, `${id}.ledger`), 'utf8');
    const path = join(directory, `${copy}.ledger`);
    await writeFile(path, text.replaceAll(String(id), copy), { mode: 0o600 });
    const claims = (await claim()).filter(({ ledger }) => ledger.header.id === copy);
    await rm(join(directory, `${copy}.${ownId}.claim`));
    return activityIds(claims);
  }

  test('has on disk what began and not what ended or was handed out', async () => {
    const ledger = await open();
    const first = ledger.begin(record(1));
    ledger.begin(record(2));
    expect(await onDisk(ledger.id)).toEqual(['1', '2']);
    first.end();
    expect(await onDisk(ledger.id)).toEqual(['2']);
    await ledger.close();
  });

  test('keeps an attempt whose result is still on its way to the server', async () => {
    const ledger = await open();
    ledger.begin(record(1)).returned();
    expect(await onDisk(ledger.id)).toEqual(['1']);
    await ledger.close();
  });

  test('stays small however many attempts pass through it', async () => {
    const ledger = await open();
    ledger.begin(record(0));
    for (let n = 1; n <= 5_000; n += 1) ledger.begin(record(n)).end();
    const { size } = await stat(join(directory, `${ledger.id}.ledger`));
    expect(size).toBeLessThan(300_000);
    expect(await onDisk(ledger.id)).toEqual(['0']);
    await ledger.close();
  });

  test('works in a directory whose path no socket address can hold, and can be swept there', async () => {
    directory = join(directory, 'a'.repeat(60), 'b'.repeat(60));
    const { child } = await startHolder();
    expect(await claim()).toEqual([]);
    await child.kill();
    expect(activityIds(await claim())).toEqual(['workflow 1']);
  });

  test('that cannot be written fails no attempt, says so once, and is whole again later', async () => {
    const ledger = await open();
    const entry = ledger.begin(record(1));
    const obstacle = join(directory, `${ledger.id}.tmp`);
    await mkdir(obstacle);
    // So many that the file is written anew, which the obstacle prevents.
    for (let n = 2; n <= 2_000; n += 1) ledger.begin(record(n)).end();
    expect(warnings.map(({ message }) => message)).toEqual([
      expect.stringContaining('cannot be written'),
    ]);
    expect(await readdir(directory)).not.toContain(`${ledger.id}.ledger`);
    await rmdir(obstacle);
    ledger.begin(record(5));
    expect(await onDisk(ledger.id)).toEqual(['1', '5']);
    entry.end();
    await ledger.close();
  });

  test('is taken away when its socket is, so that nobody takes its process for dead', async () => {
    const { child, id } = await startHolder();
    await rm(join(directory, `${id}.sock`));
    expect(await child.saying('warning')).toContain('cannot be written');
    child.tell('begin');
    await child.saying('begun');
    expect(await claim()).toEqual([]);
    expect(await readdir(directory)).toEqual([]);
  });

  test('is done without, with a warning, where none can be kept', async () => {
    const file = join(directory, 'file');
    await writeFile(file, '');
    const ledger = await openAttemptLedger({ directory: file, identity: 'test', log });
    expect(ledger.id).toBeUndefined();
    expect(warnings).toHaveLength(1);
    ledger.begin(record(1)).end();
    await ledger.close();
  });

  test('that is none takes every call', async () => {
    const ledger = createNoLedger();
    const entry = ledger.begin(record(1));
    entry.addProcessGroup(1234);
    entry.removeProcessGroup(1234);
    entry.returned();
    entry.end();
    await ledger.close();
    expect(ledger.id).toBeUndefined();
  });
});

function outcomeOfConnecting(path: string): Promise<string> {
  return new Promise((resolve) => {
    const connection = connect(path);
    connection.once('connect', () => resolve('connected'));
    connection.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? 'error'));
  });
}
