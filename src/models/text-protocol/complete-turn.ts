import type { Json } from '../../core/json.ts';
import type { ModelRequest } from '../../core/model-request.ts';
import { addUsage, NO_USAGE, type Usage } from '../../core/usage.ts';
import type { CompleteOptions, Completion } from '../model.ts';
import { uniqueCallIds } from '../unique-call-ids.ts';
import { withSpent } from '../with-spent.ts';
import type { Answered, Ask } from './ask.ts';
import { renderInstructions, repairMessage } from './instructions.ts';
import { endMark, markOf, stopSequences } from './marks.ts';
import { type ParsedReply, parseReply } from './parse-reply.ts';
import type { TextMessage } from './prompt.ts';
import { type RawTurn, TEXT_FORMAT, viewRawTurn } from './raw-turn.ts';
import { renderMessages } from './render-messages.ts';
import { streamAnswer } from './stream-answer.ts';
import { stripReasoning } from './strip-reasoning.ts';

export interface CompleteTurnSettings {
  readonly ask: Ask;
  readonly secret: string;
  /** Replies in a row that may be broken; the last of them ends the turn. */
  readonly maxBroken: number;
}

type TurnOptions = CompleteOptions & { readonly settings: CompleteTurnSettings };

/** One turn: a reply, and the repairs that it needs to be one. */
export async function completeTurn(
  request: ModelRequest,
  options: TurnOptions,
): Promise<Completion> {
  const { settings } = options;
  const mark = markOf(request.conversationId, settings.secret);
  const answerOnly = request.output !== undefined;
  const hasTools = request.tools.length > 0;
  const system = renderInstructions(request, mark);
  const messages: TextMessage[] = [...renderMessages(request, mark)];
  const problems: string[] = [];
  let spent: Usage = NO_USAGE;
  for (;;) {
    const shown = { text: '' };
    const answered = await askOnce(
      { prompt: { system, messages }, request, mark, answerOnly },
      { ...options, shown, spent },
    );
    spent = addUsage(spent, answered.usage);
    const read = readReply(answered, mark);
    if (read.reply.kind === 'broken' && read.isWhole) {
      problems.push(read.problem);
      if (problems.length < settings.maxBroken) {
        messages.push(
          { role: 'assistant', text: answered.text.trim() === '' ? '(nothing)' : answered.text },
          { role: 'user', text: repairMessage(read.problem, mark, hasTools) },
        );
        continue;
      }
    }
    const raw = rawTurn(read, { request, mark, answerOnly, problems });
    return finish(raw, read, { answered, spent, options, shown: shown.text });
  }
}

interface ReadReply {
  readonly reply: ParsedReply;
  /** Without reasoning. */
  readonly text: string;
  readonly reasoning: string;
  readonly problem: string;
  /** The model ended it; otherwise it was cut, or refused. */
  readonly isWhole: boolean;
}

function readReply(answered: Answered, mark: string): ReadReply {
  const { text, reasoning, rehearsed } = stripReasoning(answered.text, mark);
  const isWhole = answered.stopReason === undefined || answered.stopReason === 'end';
  const reply = parseReply(text, mark, isWhole);
  const problem = reply.kind === 'broken' ? reply.problem : '';
  const inside = 'its marks are inside the reasoning, where nothing is run';
  return { reply, text, reasoning, isWhole, problem: rehearsed > 0 ? inside : problem };
}

async function askOnce(
  asked: {
    readonly prompt: { readonly system: string; readonly messages: readonly TextMessage[] };
    readonly request: ModelRequest;
    readonly mark: string;
    readonly answerOnly: boolean;
  },
  options: TurnOptions & { readonly shown: { text: string }; readonly spent: Usage },
): Promise<Answered> {
  const { prompt, request, mark, answerOnly } = asked;
  const stream = streamAnswer(mark, { answerOnly });
  const onText = (piece: string): void => {
    const text = stream.take(piece);
    if (text === '') return;
    options.shown.text += text;
    options.onEvent({ type: 'text', text });
  };
  try {
    const question = { prompt, request, stop: stopSequences(mark), onText };
    return await options.settings.ask(question, options);
  } catch (error) {
    throw withSpent(error, options.spent);
  }
}

function rawTurn(
  { reply, text, reasoning, isWhole }: ReadReply,
  turn: {
    readonly request: ModelRequest;
    readonly mark: string;
    readonly answerOnly: boolean;
    readonly problems: readonly string[];
  },
): RawTurn {
  const { mark, answerOnly, problems } = turn;
  const beside = {
    ...(reasoning === '' ? {} : { reasoning }),
    ...(problems.length === 0 ? {} : { repairs: problems }),
  };
  if (reply.kind === 'broken') return { text: text.trim(), mark: null, callIds: [], ...beside };
  const envelope = text.slice(0, reply.end);
  const isCut = !isWhole && reply.end === text.length;
  const line = envelope.endsWith('\n') ? '' : '\n';
  return {
    text: isCut ? envelope : envelope + line + endMark(mark),
    mark,
    callIds:
      reply.kind === 'calls'
        ? uniqueCallIds(
            reply.calls.map((call) => call.id),
            turn.request,
          )
        : [],
    ...(isCut ? { cut: true } : {}),
    ...(answerOnly ? { answerOnly } : {}),
    ...beside,
  };
}

function finish(
  raw: RawTurn,
  { reply, isWhole }: ReadReply,
  context: {
    readonly answered: Answered;
    readonly spent: Usage;
    readonly options: TurnOptions;
    readonly shown: string;
  },
): Completion {
  const { answered, spent, options, shown } = context;
  const recorded = raw as unknown as Json;
  const blocks = answered.stopReason === 'refused' ? [] : viewRawTurn(recorded);
  const text = blocks.map((block) => (block.type === 'text' ? block.text : '')).join('');
  const isUnparseable = reply.kind === 'broken' && isWhole;
  if (!isUnparseable && text.startsWith(shown) && text.length > shown.length) {
    options.onEvent({ type: 'text', text: text.slice(shown.length) });
  }
  const cutAfterEnd = raw.mark !== null && raw.cut !== true;
  const ended = reply.kind === 'calls' ? 'tool_calls' : 'end';
  return {
    raw: answered.stopReason === 'refused' ? { text: '', mark: null, callIds: [] } : recorded,
    format: TEXT_FORMAT,
    blocks,
    stopReason: isUnparseable
      ? 'unparseable'
      : isWhole || (cutAfterEnd && answered.stopReason !== 'refused')
        ? ended
        : (answered.stopReason ?? 'other'),
    providerStopReason: answered.providerStopReason ?? answered.stopReason ?? 'end',
    usage: spent,
    ...(answered.requestId === undefined ? {} : { requestId: answered.requestId }),
    model: answered.model,
  };
}
