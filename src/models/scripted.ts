import { setTimeout as wait } from 'node:timers/promises';
import { isJsonObject, type Json } from '../core/json.ts';
import type { Block, ModelRequest } from '../core/model-request.ts';
import type { StopReasonOfModel } from '../core/activity-shapes.ts';
import type { Usage } from '../core/usage.ts';
import { estimateUsage } from './estimate-usage.ts';
import { type CompleteOptions, type Completion, type Model, ModelFailure } from './model.ts';
import { costOf, type Price } from './prices.ts';

const FORMAT = 'scripted';
const PIECE_CHARACTERS = 12;

/** A tool call of a scripted turn; `toolCall` builds it. */
export interface ScriptedCall {
  readonly name: string;
  readonly input: Json;
  /** Default: `call_<turn>_<index>`, the same on every run. */
  readonly id?: string;
  /** Set to play a call whose arguments the adapter could not read. */
  readonly malformed?: string;
}

export interface ScriptedTurn {
  readonly text?: string;
  readonly reasoning?: string;
  readonly calls?: readonly ScriptedCall[];
  /** Default: `tool_calls` when there are calls, else `end`. */
  readonly stopReason?: StopReasonOfModel;
  /** Thrown by the first attempts at this turn, one each; then the turn is played. */
  readonly failures?: readonly ModelFailure[];
  /** Thrown by every attempt at this turn. */
  readonly fail?: ModelFailure;
  /** Spread over the pieces of the turn's text. Default: the script's. */
  readonly delayMs?: number;
  /** Default: estimated from characters. */
  readonly usage?: Usage;
}

/** A turn, or short for one: text, a call, or several of both. */
export type ScriptedStep =
  string | ScriptedCall | readonly (string | ScriptedCall)[] | ScriptedTurn;

/**
 * The turns in order, or a function that plays each: `turn` counts from 0 and is derived from the
 * request, so a script goes on where it was after the process was killed.
 */
export type Script =
  | readonly ScriptedStep[]
  | ((request: ModelRequest, turn: number) => ScriptedStep | Promise<ScriptedStep>);

export interface ScriptedOptions {
  /** Default `scripted`. */
  readonly id?: string;
  /** Milliseconds per turn; default 0. */
  readonly delayMs?: number;
  /** Default: no price, so no cost. */
  readonly price?: Price;
  readonly capabilities?: Model['capabilities'];
}

/** A model that plays a script. Throws (`invalid_request`, which nobody retries) when the script has ended. */
export function scripted(script: Script, options: ScriptedOptions = {}): Model {
  const id = options.id ?? 'scripted';
  const { price } = options;
  return {
    id,
    provider: 'scripted',
    format: FORMAT,
    ...(options.capabilities === undefined ? {} : { capabilities: options.capabilities }),
    ...(price === undefined ? {} : { cost: (usage: Usage) => costOf(usage, price) }),
    view,
    async complete(request, completeOptions) {
      const turn = turnOf(request);
      const step = await stepOf(script, request, turn);
      const played = turnFrom(step);
      throwScriptedFailure(played, request.attempt ?? 1);
      const blocks = blocksOf(played, turn);
      await play(blocks, played.delayMs ?? options.delayMs ?? 0, completeOptions);
      return completionOf({ id, turn, played, blocks, request });
    },
  };
}

/** A call for a script. */
export function toolCall(name: string, input: Json = {}, id?: string): ScriptedCall {
  return { name, input, ...(id === undefined ? {} : { id }) };
}

/** One after the last scripted turn that the request shows; compaction may have removed earlier ones. */
function turnOf(request: ModelRequest): number {
  const assistants = request.messages.filter((message) => message.role === 'assistant');
  const raw = assistants.findLast((message) => message.format === FORMAT)?.raw;
  const last = isJsonObject(raw) ? raw['turn'] : undefined;
  return typeof last === 'number' ? Math.max(last + 1, assistants.length) : assistants.length;
}

async function stepOf(script: Script, request: ModelRequest, turn: number): Promise<ScriptedStep> {
  if (typeof script === 'function') return script(request, turn);
  const step = script[turn];
  if (step === undefined) {
    throw new ModelFailure(
      'invalid_request',
      `the script has ended: it has ${script.length} turns, and the conversation asks for turn ${turn + 1}; ` +
        'add a turn to scripted([...]), or end the conversation before',
    );
  }
  return step;
}

function turnFrom(step: ScriptedStep): ScriptedTurn {
  if (typeof step === 'string') return { text: step };
  if (isList(step)) {
    const text = step.filter((item) => typeof item === 'string').join('\n');
    const calls = step.filter((item) => typeof item !== 'string');
    return { ...(text === '' ? {} : { text }), calls };
  }
  return 'name' in step ? { calls: [step] } : step;
}

function isList(step: ScriptedStep): step is readonly (string | ScriptedCall)[] {
  return Array.isArray(step);
}

function throwScriptedFailure(turn: ScriptedTurn, attempt: number): void {
  const failure = turn.fail ?? turn.failures?.[attempt - 1];
  if (failure !== undefined) throw failure;
}

function blocksOf(played: ScriptedTurn, turn: number): readonly Block[] {
  const blocks: Block[] = [];
  if (played.reasoning !== undefined) {
    blocks.push({ type: 'reasoning', text: played.reasoning, signed: false });
  }
  if (played.text !== undefined) blocks.push({ type: 'text', text: played.text });
  for (const [index, call] of (played.calls ?? []).entries()) {
    blocks.push({ type: 'tool_call', ...call, id: call.id ?? `call_${turn}_${index}` });
  }
  return blocks;
}

async function play(
  blocks: readonly Block[],
  delayMs: number,
  { signal, onEvent }: CompleteOptions,
): Promise<void> {
  const pieces = blocks.flatMap((block) =>
    block.type === 'text' || block.type === 'reasoning'
      ? piecesOf(block.text).map((text) => ({ type: block.type, text }))
      : [],
  );
  const pauseMs = delayMs / (pieces.length + 1);
  for (const piece of pieces) {
    await pause(pauseMs, signal);
    onEvent(piece);
  }
  await pause(pauseMs, signal);
}

async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  try {
    if (milliseconds > 0) await wait(milliseconds, undefined, { signal });
    signal.throwIfAborted();
  } catch (cause) {
    throw new ModelFailure('cancelled', 'the completion was cancelled', { cause });
  }
}

/** Splits at a fixed number of characters, never inside one. */
function piecesOf(text: string): readonly string[] {
  const characters = Array.from(text);
  const pieces: string[] = [];
  for (let start = 0; start < characters.length; start += PIECE_CHARACTERS) {
    pieces.push(characters.slice(start, start + PIECE_CHARACTERS).join(''));
  }
  return pieces;
}

function completionOf(played: {
  readonly id: string;
  readonly turn: number;
  readonly played: ScriptedTurn;
  readonly blocks: readonly Block[];
  readonly request: ModelRequest;
}): Completion {
  const { id, turn, blocks, request } = played;
  const hasCalls = blocks.some((block) => block.type === 'tool_call');
  return {
    raw: { turn, blocks: blocks as unknown as Json },
    format: FORMAT,
    blocks,
    stopReason: played.played.stopReason ?? (hasCalls ? 'tool_calls' : 'end'),
    usage: played.played.usage ?? estimateUsage(request, blocks),
    requestId: `scripted_${turn}`,
    model: id,
  };
}

function view(raw: Json): readonly Block[] {
  const blocks = isJsonObject(raw) ? raw['blocks'] : undefined;
  return Array.isArray(blocks) ? (blocks as readonly Block[]) : [];
}
