import { connect } from 'node:net';
import { chmod, readdir, readFile, rename, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { useLedgerDirectory, workflowIds } from './fixtures/use-ledger-directory.ts';

const directory = useLedgerDirectory();

describe('a process that holds a ledger', () => {
  test('is found dead after kill -9, with the attempts that it was running', async () => {
    const { child } = await directory.startHolder(2);
    await child.kill();
    expect(workflowIds(await directory.claim())).toEqual(['workflow 1', 'workflow 2']);
  });

  test('is not found dead while it runs', async () => {
    await directory.startHolder();
    expect(await directory.claim()).toEqual([]);
  });

  test('is not found dead while it is stopped, even when its backlog of connections is full', async () => {
    const { child, id } = await directory.startHolder();
    child.signal('SIGSTOP');
    expect(await directory.claim()).toEqual([]);
    const refusals = await Promise.all(
      Array.from({ length: 600 }, () => outcomeOfConnecting(join(directory.path, `${id}.sock`))),
    );
    expect(refusals).toContain('EAGAIN');
    expect(await directory.claim()).toEqual([]);
  });

  test('leaves nothing when it ends in order', async () => {
    const { child } = await directory.startHolder();
    child.tell('close');
    await child.saying('closed');
    expect(await readdir(directory.path)).toEqual([]);
  });

  test('writes a file and a socket that only its user can use', async () => {
    const { id } = await directory.startHolder();
    for (const suffix of ['ledger', 'sock']) {
      expect((await stat(join(directory.path, `${id}.${suffix}`))).mode & 0o777).toBe(0o600);
    }
  });
});

describe('a dead process’s ledger', () => {
  test('is believed up to a line that the kill tore', async () => {
    const { child, id } = await directory.startHolder(2);
    await child.kill();
    const path = join(directory.path, `${id}.ledger`);
    const whole = await readFile(path, 'utf8');
    await writeFile(path, whole.slice(0, -10));
    expect(workflowIds(await directory.claim())).toEqual(['workflow 1']);
  });

  test('is claimed by exactly one of several sweepers', async () => {
    const { child } = await directory.startHolder();
    await child.kill();
    const claims = await Promise.all(['aaaa', 'bbbb', 'cccc'].map((as) => directory.claim(as)));
    expect(claims.flat()).toHaveLength(1);
  });

  test('stays with a claimer that lives, and goes to another when the claimer died', async () => {
    const claimer = await directory.startHolder(0);
    const { child, id } = await directory.startHolder();
    await child.kill();
    const path = join(directory.path, `${id}.${claimer.id}.claim`);
    await rename(join(directory.path, `${id}.ledger`), path);
    expect(await directory.claim()).toEqual([]);
    await claimer.child.kill();
    expect(workflowIds(await directory.claim())).toEqual(['workflow 1']);
  });

  test('is claimed again by the process that could not deliver it the first time', async () => {
    const { child } = await directory.startHolder();
    await child.kill();
    await directory.claim();
    expect(workflowIds(await directory.claim())).toEqual(['workflow 1']);
  });

  test.each([
    ['that others can read', 'expected mode 600', (path: string) => chmod(path, 0o644)],
    ['of another form', 'not a ledger', (path: string) => writeFile(path, 'something else')],
    [
      'under another name',
      'another name',
      (path: string) => rename(path, join(directory.path, 'ffff.ledger')),
    ],
  ])('is ignored with a line in the log when it is a file %s', async (_, reason, change) => {
    const { child, id } = await directory.startHolder();
    await child.kill();
    await change(join(directory.path, `${id}.ledger`));
    expect(await directory.claim()).toEqual([]);
    expect(directory.warnings).toHaveLength(1);
    expect(directory.warnings[0]?.fields?.['reason']).toContain(reason);
  });

  test('of another boot is claimed once it has not been touched for a while', async () => {
    const { child, id } = await directory.startHolder();
    const path = join(directory.path, `${id}.ledger`);
    const text = await readFile(path, 'utf8');
    await child.kill();
    await writeFile(path, text.replace(/"bootId":"[^"]*"/, '"bootId":"another"'));
    expect(await directory.claim()).toEqual([]);
    const before = new Date(Date.now() - 60_000);
    await utimes(path, before, before);
    expect(workflowIds(await directory.claim())).toEqual(['workflow 1']);
  });
});

function outcomeOfConnecting(path: string): Promise<string> {
  return new Promise((resolve) => {
    const connection = connect(path);
    connection.once('connect', () => resolve('connected'));
    connection.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? 'error'));
  });
}
