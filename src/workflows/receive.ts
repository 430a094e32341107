import { condition, setHandler, workflowInfo } from '@temporalio/workflow';
import { cutText } from '../core/cut-text.ts';
import { type Stop, stopSchema } from '../core/message.ts';
import { parse } from '../core/parse.ts';
import { SIGNALS, UPDATES } from '../core/names.ts';
import type { Refusal } from '../core/refusal.ts';
import type { Memory } from './memory.ts';
import {
  approveSignal,
  closeSignal,
  decideUpdate,
  denySignal,
  messageSignal,
  revokeSignal,
  revokeUpdate,
  sendUpdate,
  stopSignal,
} from './messages.ts';
import { judgeMessage, receiveMessage } from './receive-message.ts';
import { judgeRevocation, receiveRevocation } from './receive-revocation.ts';
import { judgeVerdict, receiveVerdict, withDecision } from './receive-verdict.ts';
import { noteRefusedSignal, refusalFailure } from './refusals.ts';

const MAX_STOP_REASON_CHARACTERS = 1_000;

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
      if ('refusal' in received) {
        noteRefusedSignal(memory, SIGNALS.message, received.refusal, message);
      }
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
        const received = receiveVerdict(memory, withDecision(value, decision), 'signal', now());
        if ('refusal' in received) noteRefusedSignal(memory, decision, received.refusal, value);
      },
      { description: `{ key, by: { id }, reason?, … }: ${decision} a call that waits` },
    );
  }
  setHandler(
    revokeSignal,
    (value) => {
      const received = receiveRevocation(memory, value, now());
      if ('refusal' in received) {
        noteRefusedSignal(memory, SIGNALS.revoke, received.refusal, value);
      }
    },
    { description: '{ rule, by: { id }, reason? }: take back what an approval asked to remember' },
  );
  setHandler(
    revokeUpdate,
    (value) => answerOf(memory, UPDATES.revoke, receiveRevocation(memory, value, now())),
    {
      validator: (value) => {
        refuse(UPDATES.revoke, judgeRevocation(memory, value, now()));
      },
      description: '{ rule, by: { id }, reason? } → { rule, tool, by, at }',
    },
  );
  setHandler(
    stopSignal,
    (value) => {
      const { running, inbox } = memory.state;
      // What waits begins a turn soon, when there is a worker or a spec: it is stopped as it begins.
      if (running === undefined && inbox.queued.length === 0) return;
      if (running === undefined) memory.stoppedMessages = inbox.queued.length;
      const parsed = parse(stopSchema, value ?? {});
      memory.stop = 'value' in parsed ? shortStop(parsed.value) : {};
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
  setHandler(
    sendUpdate,
    (message) => answerOf(memory, UPDATES.send, receiveMessage(memory, message, now())),
    {
      validator: (message) => {
        refuse(UPDATES.send, judgeMessage(memory, message));
      },
      description: '{ content, id?, when?, by? } → { turn, state }',
    },
  );
  setHandler(
    decideUpdate,
    async (verdict) => {
      const received = receiveVerdict(memory, verdict, 'update', now());
      if (!('waiting' in received)) return answerOf(memory, UPDATES.decide, received);
      const { waiting } = received;
      await condition(() => waiting.fate !== undefined);
      return answerOf(
        memory,
        UPDATES.decide,
        waiting.fate ?? { refusal: { code: 'not_pending', message: 'it was not decided' } },
      );
    },
    {
      validator: (verdict) => {
        refuse(UPDATES.decide, judgeVerdict(memory, verdict, now()));
      },
      description:
        '{ decision: "approve" | "deny", key, by: { id }, … } → { decision, key, by, at }',
    },
  );
}

function answerOf<Answer>(
  memory: Memory,
  name: string,
  received: { readonly answer: Answer } | { readonly refusal: Refusal },
): Answer {
  memory.answeredAt = workflowInfo().historyLength;
  if ('answer' in received) return received.answer;
  throw refusalFailure(name, received.refusal);
}

function refuse(name: string, refusal: Refusal | undefined): void {
  if (refusal !== undefined) throw refusalFailure(name, refusal);
}

/** A stop is never refused, however much is said with it: the reason enters the results. */
function shortStop({ reason, by }: Stop): Stop {
  return {
    ...(reason === undefined ? {} : { reason: cutText(reason, MAX_STOP_REASON_CHARACTERS) }),
    ...(by === undefined ? {} : { by }),
  };
}

function now(): string {
  return new Date().toISOString();
}
