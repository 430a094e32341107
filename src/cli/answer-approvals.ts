import type { Interface } from 'node:readline/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { PendingApprovalInfo } from '../client/list-approvals.ts';
import { ApprovalDesk, type DeskOptions } from './approval-desk.ts';

/** The index of waiting conversations is asked this often. */
const LOOK_EVERY_MS = 1_000;

/** Stays, asks about each call that comes to wait, and sends what is answered, until the readline closes. */
export async function answerApprovals(
  readline: Interface,
  find: () => Promise<readonly PendingApprovalInfo[]>,
  options: DeskOptions,
): Promise<void> {
  const leaving = new AbortController();
  readline.on('close', () => leaving.abort());
  readline.on('SIGINT', () => readline.close());
  const desk = new ApprovalDesk(readline, options);
  options.say('waiting for calls that need an approval (Ctrl-C leaves)');
  try {
    while (!leaving.signal.aborted) {
      const waiting = await find();
      if (!leaving.signal.aborted) desk.show(waiting);
      await sleep(LOOK_EVERY_MS, undefined, { signal: leaving.signal });
    }
  } catch (error) {
    if (!leaving.signal.aborted) throw error;
  } finally {
    desk.close();
    readline.close();
  }
}
