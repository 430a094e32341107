import { textOf } from '../../core/content.ts';
import { endOfTurnWords } from '../../core/end-of-turn.ts';
import type { Entry } from '../../core/entry.ts';
import { isJsonObject, type Json } from '../../core/json.ts';
import { isBlobReference } from '../../core/stored.ts';
import type { Recorded, WatchItem } from '../../client/index.ts';
import { shortKey } from '../find-call.ts';
import { dim, tinted } from '../print.ts';
import { callWords, contentWords, msWords, outcomeWords } from './call-words.ts';
import { receivedWords, whoWords } from './verdict-words.ts';

export interface ItemOutput {
  /** A piece of what the agent says, without a line end. */
  text(piece: string): void;
  /** A line about what happens. */
  line(line: string): void;
}

/** Prints what a watcher sees: text as it is written, and a line for everything else. */
export class ItemPrinter {
  readonly #output: ItemOutput;
  readonly #conversationId: string;
  readonly #showsLive: boolean;
  readonly #saysApprovals: boolean;
  readonly #verdicts = new Set<string>();
  /** The turn whose end was said as it happened. */
  #endedTurn: number | undefined;
  /** A line of text is open. */
  #isWriting = false;
  /** Whether the last completion's text was printed. */
  lastText = '';

  constructor(
    output: ItemOutput,
    options: {
      readonly conversationId: string;
      readonly showsLive: boolean;
      /** Somebody else asks about what waits for an approval. */
      readonly asksElsewhere?: boolean;
    },
  ) {
    this.#output = output;
    this.#conversationId = options.conversationId;
    this.#showsLive = options.showsLive;
    this.#saysApprovals = options.asksElsewhere !== true;
  }

  print(item: WatchItem): void {
    switch (item.kind) {
      case 'recorded':
        return this.#recorded(item.recorded);
      case 'live':
        if (this.#showsLive) this.#live(item.event);
        return;
      case 'waiting':
        return this.#waiting(item);
    }
  }

  /** Ends an open line of text. */
  endText(): void {
    if (this.#isWriting) this.#output.text('\n');
    this.#isWriting = false;
  }

  #write(text: string): void {
    if (text === '') return;
    this.#output.text(text);
    this.#isWriting = !text.endsWith('\n');
  }

  #line(line: string): void {
    this.endText();
    this.#output.line(line);
  }

  #live(event: Extract<WatchItem, { kind: 'live' }>['event']): void {
    switch (event.type) {
      case 'reset':
        if (event.attempt > 1 && this.#isWriting) {
          this.#line(dim(`[attempt ${event.attempt}: what was written above is void]`));
        }
        return;
      case 'text':
        return this.#write(event.text);
      case 'started':
        if (event.attempt > 1) this.#line(dim(`  ${event.tool}: attempt ${event.attempt}`));
        return;
      case 'progress':
        return this.#line(dim(`  ${event.activityType} ${JSON.stringify(event.patch)}`));
      case 'reasoning':
      case 'call':
      case 'completion':
      case 'result':
        return;
    }
  }

  #recorded(recorded: Recorded): void {
    switch (recorded.type) {
      case 'started':
        return recorded.continued ? undefined : this.#line(dim(`${recorded.agent} started`));
      case 'entry':
        return this.#entry(recorded.entry);
      case 'completion':
        return this.#completion(recorded);
      case 'result': {
        const { entry, ms } = recorded;
        const words = `${outcomeWords(entry)} ${msWords(ms)}`;
        return this.#line(`  ${entry.tool}: ${words}  ${dim(contentWords(entry.content))}`);
      }
      case 'attempt_failed': {
        const { activityType, activityId, attempt, failure } = recorded;
        const what = `${activityType} ${activityId}, attempt ${attempt}`;
        return this.#line(tinted('waiting', `  ${what}: ${failure.type}: ${failure.message}`));
      }
      case 'received': {
        // A message is shown when it enters the transcript; a verdict may come twice.
        if (recorded.name === 'message' || recorded.name === 'send') return;
        if (this.#isRepeated(recorded.payload)) return;
        const refused =
          recorded.refusal === undefined ? '' : ` — refused: ${recorded.refusal.message}`;
        return this.#line(`  ${receivedWords(recorded.name, recorded.payload)}${refused}`);
      }
      case 'task_failed':
        return this.#line(tinted('bad', `  workflow task failed: ${recorded.message}`));
      case 'ended': {
        const { end, result, failure } = recorded;
        const why =
          failure === undefined
            ? (result?.stopReason ?? '')
            : `${failure.type}: ${failure.message}`;
        return this.#line(
          tinted(end === 'completed' ? 'ok' : 'bad', `${end}${why === '' ? '' : ` (${why})`}`),
        );
      }
    }
  }

  #isRepeated(payload: Json): boolean {
    const id = isJsonObject(payload) ? payload['verdictId'] : undefined;
    if (typeof id !== 'string') return false;
    const isRepeated = this.#verdicts.has(id);
    this.#verdicts.add(id);
    return isRepeated;
  }

  #completion({ text, told = 0, plan }: Extract<Recorded, { type: 'completion' }>): void {
    const said = isBlobReference(text) ? `${text.preview} [${text.size} bytes]` : (text ?? '');
    if (told === 0 || !this.#showsLive) this.endText();
    this.#write(this.#showsLive ? said.slice(told) : said);
    this.endText();
    this.lastText = said;
    for (const call of plan) this.#line(`→ ${callWords(call)}`);
  }

  #entry(entry: Entry): void {
    switch (entry.kind) {
      case 'user': {
        const by = entry.by === undefined ? 'user' : whoWords(entry.by);
        const { content } = entry;
        return this.#line(`${by}: ${isBlobReference(content) ? content.preview : textOf(content)}`);
      }
      case 'result':
        return this.#line(
          `  ${entry.tool}: ${outcomeWords(entry)}  ${dim(contentWords(entry.content))}`,
        );
      case 'note':
        if (entry.code === 'turn_ended' && entry.turn === this.#endedTurn) return;
        return this.#line(dim(`  ${entry.code}: ${entry.text}`));
      case 'summary':
        return this.#line(
          dim(`  the first ${entry.upTo} entries are shown to the model as a summary`),
        );
      case 'assistant':
        return;
    }
  }

  #waiting({ status, approvals }: Extract<WatchItem, { kind: 'waiting' }>): void {
    for (const request of this.#saysApprovals ? approvals : []) {
      const call = shortKey(request, this.#conversationId);
      this.#line(
        tinted('waiting', `waits for an approval: ${request.summary}`) +
          dim(`  perdure approve|deny ${this.#conversationId} ${call}`),
      );
    }
    const ended = endOfTurnWords(status.lastTurn);
    if (status.status === 'waiting_input' && ended !== undefined) {
      this.#endedTurn = status.lastTurn?.turn;
      this.#line(tinted('bad', `turn ${status.lastTurn?.turn} ended: ${ended}`));
    }
    if (status.status === 'waiting_model' || status.status === 'waiting_worker') {
      const until = status.waitingUntil === undefined ? '' : ` until ${status.waitingUntil}`;
      this.#line(tinted('waiting', `${status.status}${until}: ${status.waitingFor ?? ''}`));
    }
  }
}
