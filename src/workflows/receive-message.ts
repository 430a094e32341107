import { denyByMessage, keysDeniedByMessage } from '../core/deny-by-message.ts';
import { enqueue, INBOX_CAPACITY, seenMessage } from '../core/inbox.ts';
import type { Json } from '../core/json.ts';
import { messageSchema, type SendAnswer } from '../core/message.ts';
import { parse } from '../core/parse.ts';
import type { Refusal } from '../core/refusal.ts';
import type { Memory } from './memory.ts';
import { undecodableRefusal } from './payload-converter.ts';
import { whyNoRoom } from './room.ts';

export type Received<Answer> = { readonly answer: Answer } | { readonly refusal: Refusal };

/** Whether a message would be taken; what update `send` refuses so leaves no event. */
export function judgeMessage(memory: Memory, value: unknown): Refusal | undefined {
  const undecodable = undecodableRefusal(value);
  if (undecodable !== undefined) return undecodable;
  const parsed = parse(messageSchema, value);
  if ('problems' in parsed) {
    return {
      code: 'invalid_message',
      message: `this is no message: ${parsed.problems.join('; ')}`,
      problems: [...parsed.problems],
    };
  }
  const { id } = parsed.value;
  if (id !== undefined && seenMessage(memory.state.inbox, id) !== undefined) return undefined;
  if (memory.state.closing) {
    return { code: 'closed', message: 'the conversation is closing: it takes no more messages' };
  }
  if (memory.state.inbox.queued.length >= INBOX_CAPACITY) {
    return {
      code: 'inbox_full',
      message: `${INBOX_CAPACITY} messages wait already: send it later`,
    };
  }
  return whyNoRoom(memory, parsed.value.content as Json);
}

/** Takes a message: into the running turn, or to wait for the next. A known id changes nothing. */
export function receiveMessage(memory: Memory, value: unknown, at: string): Received<SendAnswer> {
  const refusal = judgeMessage(memory, value);
  if (refusal !== undefined) return { refusal };
  const parsed = parse(messageSchema, value);
  if ('problems' in parsed) throw new Error('a judged message parses');
  const message = parsed.value;
  const { state } = memory;
  if (message.id !== undefined) {
    const seen = seenMessage(state.inbox, message.id);
    if (seen !== undefined) return { answer: { turn: seen.turn, state: seen.state } };
  }
  const number = state.counters.message + 1;
  const id = message.id ?? `m${number}`;
  const { answers, denied } = denyPendingFor(memory, id, at);
  const running = state.running !== undefined;
  const steers = running && (answers || message.when === 'steer');
  const answer: SendAnswer = {
    turn: steers ? state.turn : state.turn + 1,
    state: denied ? 'denied_pending' : steers ? 'steered' : running ? 'queued' : 'started',
  };
  memory.update({
    counters: { ...memory.state.counters, message: number },
    inbox: enqueue(
      memory.state.inbox,
      {
        id,
        content: message.content,
        ...(message.by === undefined ? {} : { by: message.by }),
        at,
        when: steers ? 'steer' : 'queue',
      },
      // Ids of ours are nobody's to send again.
      message.id === undefined ? undefined : { id, ...answer },
    ),
  });
  return { answer };
}

/**
 * A message may answer what waits, where the asking side chose so. New arguments that came before
 * it and are being validated go first: it denies when they do not fit.
 */
function denyPendingFor(
  memory: Memory,
  id: string,
  at: string,
): { readonly answers: boolean; readonly denied: boolean } {
  const { approvals } = memory.state;
  const keys = keysDeniedByMessage(approvals);
  const now = keys.filter((key) => !memory.edits.some((edit) => edit.key === key));
  for (const key of keys) {
    if (!now.includes(key) && !memory.denials.has(key)) memory.denials.set(key, { id, at });
  }
  const denied = now.length > 0;
  if (denied) memory.update({ approvals: denyByMessage(approvals, now, { id, at }) });
  return { answers: keys.length > 0, denied };
}
