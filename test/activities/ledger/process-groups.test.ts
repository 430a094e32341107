import { spawn } from 'node:child_process';
import { afterEach, expect, test } from 'vitest';
import { endProcessGroups } from '../../../src/activities/ledger/process-groups.ts';
import { listProcesses, startOf } from '../../../src/activities/ledger/process-table.ts';

const leaders: number[] = [];

afterEach(() => {
  for (const leader of leaders.splice(0)) {
    try {
      process.kill(-leader, 'SIGKILL');
    } catch {
      // Ended by the test.
    }
  }
});

function startGroup(command: string): number {
  const child = spawn('/bin/sh', ['-c', command], { detached: true, stdio: 'ignore' });
  if (child.pid === undefined) throw new Error('could not start a shell');
  leaders.push(child.pid);
  return child.pid;
}

const membersOf = (leader: number) =>
  listProcesses().filter((one) => one.group === leader && !one.zombie).length;

const later = () => Date.now() + 1_000;

test('a group is ended with all its members', async () => {
  const leader = startGroup('sleep 600 & sleep 600 & wait');
  await expect.poll(() => membersOf(leader)).toBe(3);
  expect(await endProcessGroups([{ leader, startedAt: startOf(leader) }], later())).toEqual([]);
  expect(membersOf(leader)).toBe(0);
});

test('a group that ignores SIGTERM is killed', async () => {
  const leader = startGroup('trap "" TERM; while :; do sleep 600; done');
  await expect.poll(() => membersOf(leader)).toBe(2);
  expect(await endProcessGroups([{ leader, startedAt: startOf(leader) }], later())).toEqual([]);
  expect(membersOf(leader)).toBe(0);
});

test('a group whose leader is another process than the one recorded is left alone', async () => {
  const leader = startGroup('sleep 600 & wait');
  await expect.poll(() => membersOf(leader)).toBe(2);
  expect(await endProcessGroups([{ leader, startedAt: '1' }], later())).toEqual([]);
  expect(await endProcessGroups([{ leader, startedAt: null }], later())).toEqual([]);
  expect(membersOf(leader)).toBe(2);
});

test('members that outlived their leader are ended when they are older than the worker’s death', async () => {
  const leader = startGroup('sleep 600 &');
  const startedAt = '1';
  await expect.poll(() => startOf(leader)).toBeNull();
  await expect.poll(() => membersOf(leader)).toBe(1);
  expect(await endProcessGroups([{ leader, startedAt }], later())).toEqual([]);
  expect(membersOf(leader)).toBe(0);
});

test('members that may be a stranger’s are left alone and reported', async () => {
  const longAgo = Date.now() - 60_000;
  const leader = startGroup('sleep 600 &');
  const group = { leader, startedAt: '1' };
  await expect.poll(() => startOf(leader)).toBeNull();
  expect(await endProcessGroups([group], longAgo)).toEqual([group]);
  expect(membersOf(leader)).toBe(1);
});

test('a group that ended long ago needs nothing', async () => {
  const leader = startGroup('exit');
  const startedAt = startOf(leader);
  await expect.poll(() => membersOf(leader)).toBe(0);
  expect(await endProcessGroups([{ leader, startedAt }], later())).toEqual([]);
});
