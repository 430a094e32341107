import { randomUUID } from 'node:crypto';
import type { Content } from '../core/content.ts';
import { messageSchema, type SendAnswer } from '../core/message.ts';
import { SIGNALS, UPDATES } from '../core/names.ts';
import type { Who } from '../core/who.ts';
import type { ClientContext } from './client-context.ts';
import { PerdureRefusal } from './errors/perdure-refusal.ts';
import { offloadParts } from './offload-parts.ts';
import { demandSize, MAX_PAYLOAD_BYTES } from './payload-size.ts';
import { plainJson } from './plain-json.ts';
import { checked } from './problems-of.ts';
import { updateOrSignal } from './update-or-signal.ts';

export interface SendOptions {
  /** A message with an id that was sent before is taken once; default: a new one. */
  readonly id?: string | undefined;
  /** `steer` enters at the next step of the running turn; default `queue`, the next turn. */
  readonly when?: 'queue' | 'steer' | undefined;
  readonly by?: Who | undefined;
}

/**
 * How a message went. `update`: a worker took it and said what it does. `signal`: no worker
 * answered; the server keeps it, and it is taken once when a worker is back.
 */
export type SendReceipt =
  | ({ readonly via: 'update'; readonly id: string } & SendAnswer)
  | { readonly via: 'signal'; readonly id: string };

/** @throws {PerdureRefusal} `invalid_message`, `too_large`, `inbox_full`, `closed`, …: nothing was taken. */
export async function sendMessage(
  context: ClientContext,
  conversationId: string,
  content: Content,
  options: SendOptions = {},
): Promise<SendReceipt> {
  const id = options.id ?? randomUUID();
  const message = checked(messageSchema, { content, ...options, id });
  if ('problems' in message) {
    throw new PerdureRefusal({
      code: 'invalid_message',
      message: `the message cannot be sent: ${message.problems.join('; ')}`,
      problems: message.problems,
    });
  }
  const sent = plainJson({
    ...message.value,
    content: await offloadParts(context, conversationId, message.value.content),
  });
  demandSize('the message', sent, MAX_PAYLOAD_BYTES, 'shorten it, or send a document as a blob');
  const result = await updateOrSignal<SendAnswer>(context, conversationId, {
    update: { name: UPDATES.send, payload: sent },
    signal: { name: SIGNALS.message, payload: sent },
    id,
  });
  return result.via === 'update' ? { via: 'update', id, ...result.answer } : { via: 'signal', id };
}
