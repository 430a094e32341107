import { callsOfEvents } from '../../../src/activities/transcript/calls-of-events.ts';
import { createPayloadDecoder } from '../../../src/activities/transcript/payload-decoder.ts';
import { createEventDecoder } from '../../../src/activities/transcript/recorded-event.ts';
import type { PlannedCall } from '../../../src/core/call.ts';
import { RecordedRun } from '../../support/recorded-run.ts';

export async function callsOf(run: RecordedRun) {
  const decodePage = createEventDecoder(createPayloadDecoder([]), run.location);
  return callsOfEvents(await decodePage(run.events));
}

export async function withPlan(more: Partial<PlannedCall> = {}) {
  const run = await RecordedRun.begin();
  run.user('go');
  const call = run.plan(0, more);
  await run.model({ calls: 1 }, { calls: [call] });
  return { run, call };
}
