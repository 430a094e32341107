import { condition, setHandler, workflowInfo } from '@temporalio/workflow';
import { UPDATES } from '../core/names.ts';
import type { Refusal } from '../core/refusal.ts';
import type { Memory } from './memory.ts';
import { decideUpdate, revokeUpdate, sendUpdate } from './messages.ts';
import { judgeMessage, receiveMessage } from './receive-message.ts';
import { judgeRevocation, receiveRevocation } from './receive-revocation.ts';
import { type Interruption, receiveSignals } from './receive-signals.ts';
import { judgeVerdict, receiveVerdict } from './receive-verdict.ts';
import { refusalFailure } from './refusals.ts';

/**
 * Registers all that a conversation takes, before its first await: what comes earlier than a
 * handler would be refused. Handlers record and answer; only the main loop acts.
 */
export function receiveFromOutside(memory: Memory, interruption: Interruption): void {
  memory.historyBytes = () => workflowInfo().historySize;
  receiveSignals(memory, interruption);
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

function now(): string {
  return new Date().toISOString();
}
