import { ApplicationFailure, log, metricMeter } from '@temporalio/workflow';
import { isJsonObject, type Json } from '../core/json.ts';
import { type Refusal, REFUSAL_TYPE } from '../core/refusal.ts';
import type { Memory } from './memory.ts';

/**
 * A refusal for the caller of an update. What a validator refuses leaves no event, so log and the
 * counter `perdure_refused` (tags `name`, `code`) are the only places that know of it.
 */
export function refusalFailure(name: string, refusal: Refusal): ApplicationFailure {
  countRefusal(name, refusal);
  const failure = ApplicationFailure.create({
    message: refusal.message,
    type: REFUSAL_TYPE,
    nonRetryable: true,
    details: [refusal],
  });
  // An answer, not a defect: where in our code it was made is nobody's business out there.
  failure.stack = '';
  return failure;
}

export function countRefusal(name: string, { code, message }: Refusal): void {
  log.info(`refused ${name}`, { code, message: message.slice(0, 500) });
  metricMeter
    .createCounter('perdure_refused', undefined, 'what conversations refused')
    .add(1, { name, code });
}

/** A refused signal has nobody to answer: the audit keeps it, with who sent it about what. */
export function noteRefusedSignal(
  memory: Memory,
  signal: string,
  refusal: Refusal,
  value: unknown,
): void {
  countRefusal(signal, refusal);
  const sent = isJsonObject(value) ? value : {};
  const by = shortText(isJsonObject(sent['by']) ? sent['by']['id'] : undefined);
  const about = Object.fromEntries(
    ['key', 'callId', 'verdictId'].flatMap((name) => {
      const said = shortText(sent[name]);
      return said === undefined ? [] : [[name, said]];
    }),
  );
  const who = by ?? 'unknown sender';
  memory.note('signal_refused', `${signal} of ${who}: ${refusal.message}`, isoNow(), {
    details: { signal, code: refusal.code, by: who, ...about },
  });
}

function shortText(value: Json | undefined): string | undefined {
  return typeof value === 'string' ? value.slice(0, 255) : undefined;
}

function isoNow(): string {
  return new Date().toISOString();
}
