import { mkdir, readdir, readFile, rm, rmdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import type { AttemptRecord } from '../../../src/activities/ledger/attempt-ledger.ts';
import { createNoLedger } from '../../../src/activities/ledger/no-ledger.ts';
import { openAttemptLedger } from '../../../src/activities/ledger/open-attempt-ledger.ts';
import { SWEEPER, useLedgerDirectory, workflowIds } from './fixtures/use-ledger-directory.ts';

const directory = useLedgerDirectory();

describe('a ledger', () => {
  const open = () =>
    openAttemptLedger({ directory: directory.path, identity: 'test', log: directory.log });

  /** What a sweeper would find if this process died now. */
  async function onDisk(id: string | undefined): Promise<readonly string[]> {
    const copy = 'ffffffffffffffff';
    const text = await readFile(join(directory.path, `${id}.ledger`), 'utf8');
    const path = join(directory.path, `${copy}.ledger`);
    await writeFile(path, text.replaceAll(String(id), copy), { mode: 0o600 });
    const claims = (await directory.claim()).filter(({ ledger }) => ledger.header.id === copy);
    await rm(join(directory.path, `${copy}.${SWEEPER}.claim`));
    return workflowIds(claims);
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

  test('forgets such an attempt when the server must have had its result for long', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    try {
      const ledger = await open();
      ledger.begin(record(1)).returned();
      vi.advanceTimersByTime(5_000);
      expect(await onDisk(ledger.id)).toEqual([]);
      await ledger.close();
    } finally {
      vi.useRealTimers();
    }
  });

  test('stays small however many attempts pass through it', async () => {
    const ledger = await open();
    ledger.begin(record(0));
    for (let n = 1; n <= 5_000; n += 1) ledger.begin(record(n)).end();
    const { size } = await stat(join(directory.path, `${ledger.id}.ledger`));
    expect(size).toBeLessThan(300_000);
    expect(await onDisk(ledger.id)).toEqual(['0']);
    await ledger.close();
  });

  test('works in a directory whose path no socket address can hold, and can be swept there', async () => {
    directory.path = join(directory.path, 'a'.repeat(60), 'b'.repeat(60));
    const { child } = await directory.startHolder();
    expect(await directory.claim()).toEqual([]);
    await child.kill();
    expect(workflowIds(await directory.claim())).toEqual(['workflow 1']);
  });

  test('that cannot be written fails no attempt, says so once, and is whole again later', async () => {
    const ledger = await open();
    const entry = ledger.begin(record(1));
    const obstacle = join(directory.path, `${ledger.id}.tmp`);
    await mkdir(obstacle);
    // So many that the file is written anew, which the obstacle prevents.
    for (let n = 2; n <= 2_000; n += 1) ledger.begin(record(n)).end();
    expect(directory.warnings.map(({ message }) => message)).toEqual([
      expect.stringContaining('cannot be written'),
    ]);
    expect(await readdir(directory.path)).not.toContain(`${ledger.id}.ledger`);
    await rmdir(obstacle);
    ledger.begin(record(5));
    expect(await onDisk(ledger.id)).toEqual(['1', '5']);
    entry.end();
    await ledger.close();
  });

  test('is taken away when its socket is, so that nobody takes its process for dead', async () => {
    const { child, id } = await directory.startHolder();
    await rm(join(directory.path, `${id}.sock`));
    expect(await child.saying('warning')).toContain('cannot be written');
    child.tell('begin');
    await child.saying('begun');
    expect(await directory.claim()).toEqual([]);
    expect(await readdir(directory.path)).toEqual([]);
  });

  test('is done without, with a warning, where none can be kept', async () => {
    const file = join(directory.path, 'file');
    await writeFile(file, '');
    const ledger = await openAttemptLedger({
      directory: file,
      identity: 'test',
      log: directory.log,
    });
    expect(ledger.id).toBeUndefined();
    expect(directory.warnings).toHaveLength(1);
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
