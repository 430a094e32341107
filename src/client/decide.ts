import { createHash, randomUUID } from 'node:crypto';
import type { Json } from '../core/json.ts';
import { SIGNALS, UPDATES } from '../core/names.ts';
import { approveSchema, type DecideAnswer, denySchema, type Remember } from '../core/verdict.ts';
import type { Who } from '../core/who.ts';
import type { ClientContext } from './client-context.ts';
import { PerdureRefusal } from './errors/perdure-refusal.ts';
import { demandSize, MAX_PAYLOAD_BYTES } from './payload-size.ts';
import { plainJson } from './plain-json.ts';
import { checked } from './problems-of.ts';
import { updateOrSignal } from './update-or-signal.ts';

/** Which call: its `key`, or the provider's `callId` where only one pending call has it. */
export type CallTarget = string | { readonly key: string } | { readonly callId: string };

export interface DenyOptions {
  readonly by: Who;
  /** Shown to the model word for word. */
  readonly reason?: string | undefined;
  /** The same verdict sent again, with the same id, answers as the first time; default: a new one. */
  readonly verdictId?: string | undefined;
}

export interface ApproveOptions extends DenyOptions {
  /** Replaces the arguments; validated by the tool's schema before anything runs. */
  readonly input?: Json | undefined;
  /** Lets the tool run without asking for the rest of the conversation. */
  readonly remember?: Remember | undefined;
  /** The request's digest: refused (`digest_mismatch`) when the arguments are not those that were seen. */
  readonly digest?: string | undefined;
}

/**
 * How a verdict went. `update`: recorded, and this is what holds. `signal`: no worker answered; the
 * server keeps it, and it is applied once when a worker is back, unless another verdict came first.
 */
export type VerdictReceipt =
  | ({ readonly via: 'update'; readonly verdictId: string } & DecideAnswer)
  | { readonly via: 'signal'; readonly verdictId: string };

/** @throws {PerdureRefusal} `already_decided`, `not_pending`, `invalid_input`, …: nothing ran. */
export async function decide(
  context: ClientContext,
  conversationId: string,
  decision: 'approve' | 'deny',
  verdict: { readonly target: CallTarget } & ApproveOptions,
): Promise<VerdictReceipt> {
  const { target, ...options } = verdict;
  const verdictId = options.verdictId ?? randomUUID();
  const schema = decision === 'approve' ? approveSchema : denySchema;
  const signal = checked(schema, { ...options, ...targetFields(target), verdictId });
  if ('problems' in signal) {
    throw new PerdureRefusal({
      code: 'invalid_verdict',
      message: `the verdict cannot be sent: ${signal.problems.join('; ')}`,
      problems: signal.problems,
    });
  }
  const payload = plainJson(signal.value);
  demandSize('the verdict', payload, MAX_PAYLOAD_BYTES, 'shorten the reason or the input');
  const result = await updateOrSignal<DecideAnswer>(context, conversationId, {
    update: { name: UPDATES.decide, payload: { decision, ...payload } },
    signal: { name: decision === 'approve' ? SIGNALS.approve : SIGNALS.deny, payload },
    id: updateId(decision, payload),
  });
  return result.via === 'update'
    ? { via: 'update', verdictId, ...result.answer }
    : { via: 'signal', verdictId };
}

/**
 * The server answers a second update of the same id as the first, without asking: the id stands for
 * all that the verdict says, so that one verdictId used for two calls is not taken for one verdict.
 */
function updateId(decision: string, payload: Json): string {
  const said = JSON.stringify([decision, payload]);
  return `verdict-${createHash('sha256').update(said).digest('hex')}`;
}

/** Our keys have slashes, `<conversation>/<turn>.<step>.<index>.<random>`; providers' ids have none. */
function targetFields(target: CallTarget): { key: string } | { callId: string } {
  if (typeof target !== 'string') return target;
  return target.includes('/') ? { key: target } : { callId: target };
}
