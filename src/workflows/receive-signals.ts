import { defineSignal, setDefaultSignalHandler, setHandler } from '@temporalio/workflow';
import { cutText } from '../core/cut-text.ts';
import { type Stop, stopSchema } from '../core/message.ts';
import { SIGNALS } from '../core/names.ts';
import { parse } from '../core/parse.ts';
import type { Refusal } from '../core/refusal.ts';
import type { Memory } from './memory.ts';
import { type Received, receiveMessage } from './receive-message.ts';
import { receiveRevocation } from './receive-revocation.ts';
import { type ReceivedVerdict, receiveVerdict, withDecision } from './receive-verdict.ts';
import { noteRefusedSignal } from './refusals.ts';

const MAX_STOP_REASON_CHARACTERS = 1_000;

/** What the conversation does when it is told to stop. */
export interface Interruption {
  readonly interruptTurn: () => void;
}

interface Receiver {
  readonly name: string;
  readonly description: string;
  /** Says why the signal is refused, if it is: its sender is gone, so the audit has it. */
  readonly receive: (value: unknown) => Refusal | undefined;
}

/** Registers the signals that a conversation takes; those that came before are taken as they came. */
export function receiveSignals(memory: Memory, interruption: Interruption): void {
  const receivers = receiversOf(memory, interruption);
  const take = ({ name, receive }: Receiver, value: unknown) => {
    const refusal = receive(value);
    if (refusal !== undefined) noteRefusedSignal(memory, name, refusal, value);
  };
  // The SDK hands out early signals as each handler is set, name by name: a message that was sent
  // after a stop would come before it. A default handler gets them in the order of their arrival.
  setDefaultSignalHandler((name, value) => {
    const receiver = receivers.find((each) => each.name === name);
    if (receiver !== undefined) take(receiver, value);
  });
  for (const receiver of receivers) {
    const { name, description } = receiver;
    setHandler(defineSignal<[unknown]>(name), (value) => take(receiver, value), { description });
  }
  setDefaultSignalHandler(undefined);
}

function receiversOf(memory: Memory, { interruptTurn }: Interruption): readonly Receiver[] {
  const decision = (name: 'approve' | 'deny'): Receiver => ({
    name,
    description: `{ key, by: { id }, reason?, … }: ${name} a call that waits`,
    receive: (value) =>
      refusalIn(receiveVerdict(memory, withDecision(value, name), 'signal', now())),
  });
  return [
    {
      name: SIGNALS.message,
      description: '{ content, id?, when?: "queue" | "steer", by? }: say something to the agent',
      receive: (value) => refusalIn(receiveMessage(memory, value, now())),
    },
    decision(SIGNALS.approve),
    decision(SIGNALS.deny),
    {
      name: SIGNALS.revoke,
      description: '{ rule, by: { id }, reason? }: take back what an approval asked to remember',
      receive: (value) => refusalIn(receiveRevocation(memory, value, now())),
    },
    {
      name: SIGNALS.stop,
      description: '{ reason?, by? }: interrupt the running turn; the conversation stays usable',
      receive(value) {
        const { running, inbox } = memory.state;
        // What waits begins a turn soon, when there is a worker or a spec: it is stopped as it begins.
        if (running === undefined && inbox.queued.length === 0) return undefined;
        if (running === undefined) memory.stoppedMessages = inbox.queued.length;
        const parsed = parse(stopSchema, value ?? {});
        memory.stop = 'value' in parsed ? shortStop(parsed.value) : {};
        interruptTurn();
        return undefined;
      },
    },
    {
      name: SIGNALS.close,
      description: '{ by? }: the running turn finishes, then the conversation completes',
      receive() {
        memory.update({ closing: true });
        if (memory.status === 'running') memory.show('closing');
        return undefined;
      },
    },
  ];
}

function refusalIn(received: Received<unknown> | ReceivedVerdict): Refusal | undefined {
  return 'refusal' in received ? received.refusal : undefined;
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
