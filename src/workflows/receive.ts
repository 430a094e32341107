import { ApplicationFailure, condition, setHandler, workflowInfo } from '@temporalio/workflow';
import { stopSchema } from '../core/message.ts';
import { parse } from '../core/parse.ts';
import { type Refusal, REFUSAL_TYPE } from '../core/refusal.ts';
import { isJsonObject } from '../core/json.ts';
import type { Memory } from './memory.ts';
import {
  approveSignal,
  closeSignal,
  decideUpdate,
  denySignal,
  messageSignal,
  sendUpdate,
  stopSignal,
} from './messages.ts';
import { judgeMessage, receiveMessage } from './receive-message.ts';
import { judgeVerdict, receiveVerdict } from './receive-verdict.ts';

/** What the conversation does when it is told to stop. */
export interface Interruption {
  readonly interruptTurn: () => void;
}

/**
 * Registers all that a conversation takes, before its first await: what comes earlier than a
 * handler would be refused. Handlers record and answer; only the main loop acts.
 */
export function receiveFromOutside(memory: Memory, { interruptTurn }: Interruption): void {
  setHandler(
    messageSignal,
    (message) => {
      const received = receiveMessage(memory, message, now());
      if ('refusal' in received) noteRefusal(memory, 'message', received.refusal, message);
    },
    { description: '{ content, id?, when?: "queue" | "steer", by? }: say something to the agent' },
  );
  for (const [signal, decision] of [
    [approveSignal, 'approve'],
    [denySignal, 'deny'],
  ] as const) {
    setHandler(
      signal,
      (value: unknown) => {
        const verdict =
          isJsonObject(value) && !('undecodable' in value) ? { ...value, decision } : value;
        const received = receiveVerdict(memory, verdict, 'signal', now());
        if ('refusal' in received) noteRefusal(memory, decision, received.refusal, value);
      },
      { description: `{ key, by: { id }, reason?, … }: ${decision} a call that waits` },
    );
  }
  setHandler(
    stopSignal,
    (value) => {
      if (memory.state.running === undefined) return;
      const parsed = parse(stopSchema, value ?? {});
      memory.stop = 'value' in parsed ? parsed.value : {};
      interruptTurn();
    },
    { description: '{ reason?, by? }: interrupt the running turn; the conversation stays usable' },
  );
  setHandler(
    closeSignal,
    () => {
      memory.update({ closing: true });
      if (memory.status === 'running') memory.show('closing');
    },
    { description: '{ by? }: the running turn finishes, then the conversation completes' },
  );
  setHandler(sendUpdate, (message) => answerOf(memory, receiveMessage(memory, message, now())), {
    validator: (message) => {
      refuse(judgeMessage(memory, message));
    },
    description: '{ content, id?, when?, by? } → { turn, state }',
  });
  setHandler(
    decideUpdate,
    async (verdict) => {
      const received = receiveVerdict(memory, verdict, 'update', now());
      if (!('waiting' in received)) return answerOf(memory, received);
      const { waiting } = received;
      await condition(() => waiting.fate !== undefined);
      return answerOf(
        memory,
        waiting.fate ?? { refusal: { code: 'not_pending', message: 'it was not decided' } },
      );
    },
    {
      validator: (verdict) => {
        refuse(judgeVerdict(memory, verdict, now()));
      },
      description:
        '{ decision: "approve" | "deny", key, by: { id }, … } → { decision, key, by, at }',
    },
  );
}

function answerOf<Answer>(
  memory: Memory,
  received: { readonly answer: Answer } | { readonly refusal: Refusal },
): Answer {
  memory.answeredAt = workflowInfo().historyLength;
  if ('answer' in received) return received.answer;
  throw failureOf(received.refusal);
}

function refuse(refusal: Refusal | undefined): void {
  if (refusal !== undefined) throw failureOf(refusal);
}

function failureOf(refusal: Refusal): ApplicationFailure {
  return ApplicationFailure.create({
    message: refusal.message,
    type: REFUSAL_TYPE,
    nonRetryable: true,
    details: [refusal],
  });
}

/** A refused signal has nobody to answer: the audit keeps it, with who sent it. */
function noteRefusal(memory: Memory, signal: string, refusal: Refusal, value: unknown): void {
  const by = isJsonObject(value) && isJsonObject(value['by']) ? value['by']['id'] : undefined;
  const who = typeof by === 'string' ? by.slice(0, 255) : 'unknown sender';
  memory.note('signal_refused', `${signal} of ${who}: ${refusal.message}`, now(), {
    details: { signal, code: refusal.code, by: who },
  });
}

function now(): string {
  return new Date().toISOString();
}
