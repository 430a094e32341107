import type { Interface } from 'node:readline/promises';
import type { ConversationHandle, WatchItem } from '../client/index.ts';
import { PerdureRefusal } from '../client/errors/perdure-refusal.ts';
import type { Who } from '../core/who.ts';
import { type ApprovalDesk, waitingIn } from './approval-desk.ts';
import type { Print } from './print.ts';
import type { ItemPrinter } from './render/item-printer.ts';

/** Says what a person types, and shows what the agent does, turn by turn. */
export class ChatSession {
  readonly #conversation: ConversationHandle;
  readonly #print: Print;
  readonly #printer: ItemPrinter;
  readonly #desk: ApprovalDesk | undefined;
  readonly #by: Who;
  /** Called when the conversation rests or has ended. */
  #onRest: (() => void) | undefined;
  #awaitedTurn = Number.POSITIVE_INFINITY;
  /** The newest turn after which the conversation was seen at rest. */
  #restedTurn = -1;
  #hasEnded = false;

  constructor(
    conversation: ConversationHandle,
    options: {
      readonly print: Print;
      readonly printer: ItemPrinter;
      readonly desk: ApprovalDesk | undefined;
      readonly by: Who;
    },
  ) {
    this.#conversation = conversation;
    this.#print = options.print;
    this.#printer = options.printer;
    this.#desk = options.desk;
    this.#by = options.by;
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** Shows what happens, until the signal or the end of the conversation. */
  async watch(from: string | undefined, signal: AbortSignal): Promise<void> {
    try {
      for await (const item of this.#conversation.watch({ from, signal })) this.#see(item);
      this.#hasEnded ||= !signal.aborted;
    } finally {
      this.#desk?.close();
      this.#onRest?.();
    }
  }

  /** Says one thing, and resolves when the turn that it started has ended. */
  async say(text: string, signal: AbortSignal): Promise<void> {
    const rest = new Promise<void>((resolve) => {
      this.#onRest = resolve;
    });
    try {
      const receipt = await this.#conversation.send(text, { by: this.#by });
      if (receipt.via === 'signal') {
        this.#print.note('no worker answers: the message is kept, and taken when one is back');
      }
      this.#awaitedTurn = receipt.via === 'update' ? receipt.turn : this.#restedTurn + 1;
    } catch (error) {
      if (!(error instanceof PerdureRefusal) || error.code === 'closed') throw error;
      this.#print.note(`not taken (${error.code}): ${error.message}`);
      return;
    }
    const isOver = this.#hasEnded || signal.aborted || this.#restedTurn >= this.#awaitedTurn;
    if (!isOver) await rest;
    this.#awaitedTurn = Number.POSITIVE_INFINITY;
  }

  get isBusy(): boolean {
    return this.#awaitedTurn !== Number.POSITIVE_INFINITY;
  }

  #see(item: WatchItem): void {
    // What the person typed is on the screen already.
    const isOwnMessage =
      item.kind === 'recorded' &&
      item.recorded.type === 'entry' &&
      item.recorded.entry.kind === 'user';
    if (!isOwnMessage) this.#printer.print(item);
    if (item.kind === 'recorded' && item.recorded.type === 'ended') {
      this.#hasEnded = true;
      this.#onRest?.();
    }
    if (item.kind !== 'waiting') return;
    this.#desk?.show(waitingIn(this.#conversation.id, item));
    const { status, turn, queued } = item.status;
    if (status !== 'waiting_input' || queued > 0) return;
    this.#restedTurn = turn;
    if (turn >= this.#awaitedTurn) this.#onRest?.();
  }
}

/** Lines that are typed or piped in, each when it is asked for. */
export async function* typedLines(
  readline: Interface,
  { prompt, signal }: { readonly prompt: string; readonly signal: AbortSignal },
): AsyncGenerator<string> {
  const lines = readline[Symbol.asyncIterator]();
  for (;;) {
    if (signal.aborted) return;
    if (prompt !== '') process.stderr.write(prompt);
    const next = await lines.next();
    if (next.done === true) return;
    if (next.value.trim() !== '') yield next.value;
  }
}
