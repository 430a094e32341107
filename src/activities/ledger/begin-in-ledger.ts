import type { Info } from '@temporalio/activity';
import { runLocation } from '../run-location.ts';
import type { AttemptLedger, LedgerEntry } from './attempt-ledger.ts';

/** Notes the attempt that begins here, before it reads anything: a process that dies in it is found. */
export function beginInLedger(ledger: AttemptLedger, info: Info): LedgerEntry {
  return ledger.begin({
    taskToken: info.base64TaskToken,
    ...runLocation(info),
    activityId: info.activityId,
    activityType: info.activityType,
  });
}
