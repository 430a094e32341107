import type { JsonObject } from '../../core/json.ts';
import { type ReadArguments, readArguments } from '../read-arguments.ts';
import { objectInFence } from '../read-loose-arguments.ts';
import { findMarks, openMark } from './marks.ts';

export interface ParsedCall {
  readonly name: string;
  /** As the model gave it; may be missing or repeat. */
  readonly id: string | undefined;
  readonly input: JsonObject;
  readonly malformed?: string;
}

export type ParsedReply =
  /** `end`: where the envelope's content ends; what follows is no part of the reply. */
  | {
      readonly kind: 'calls';
      readonly prose: string;
      readonly calls: readonly ParsedCall[];
      readonly end: number;
    }
  | { readonly kind: 'answer'; readonly prose: string; readonly text: string; readonly end: number }
  /** Not a reply of this protocol: why, in words that mend it. */
  | { readonly kind: 'broken'; readonly prose: string; readonly problem: string };

const ANSWER_AND_CALLS =
  'calls and an answer are in one reply: call first, answer once the results are there';

interface Section {
  readonly words: readonly string[];
  readonly body: string;
}

/**
 * Reads a reply, its reasoning taken out, strictly. What follows the end of its envelope, or a
 * result that the model made up, is no part of it. `whole: false` says that the reply was cut: its
 * last call cannot be trusted.
 */
export function parseReply(text: string, mark: string, whole: boolean): ParsedReply {
  const marks = findMarks(text, mark);
  const prose = text.slice(0, marks[0]?.start).trim();
  const last = marks.findIndex(({ words }) => words === 'end' || words.startsWith('result'));
  const inside = last === -1 ? marks : marks.slice(0, last);
  const end = marks[last]?.start ?? text.length;
  const sections = inside.map((found, index): Section => ({
    words: found.words.split(/\s+/),
    body: text.slice(found.end, inside[index + 1]?.start ?? end),
  }));
  const [opening] = sections;
  if (opening === undefined) {
    const problem =
      marks.length > 0
        ? 'its envelope is empty: it has no call and no answer'
        : whyNoMark(text, mark);
    return { kind: 'broken', prose, problem };
  }
  if (opening.words[0] === 'answer') {
    const isComplete = whole || last !== -1;
    if (isComplete && sections.some(({ words }) => words[0] === 'call')) {
      return { kind: 'broken', prose, problem: ANSWER_AND_CALLS };
    }
    const answer = trimLine(opening.body);
    return answer.trim() === ''
      ? { kind: 'broken', prose, problem: 'its answer is empty' }
      : { kind: 'answer', prose, text: answer, end: inside[1]?.start ?? end };
  }
  const problem = sectionProblem(sections, mark);
  if (problem !== undefined) return { kind: 'broken', prose, problem };
  return { kind: 'calls', prose, calls: callsOf(sections, whole || last !== -1), end };
}

function whyNoMark(text: string, mark: string): string {
  if (/\[\[\s*[0-9a-f…]{3,}\s+(call|answer|raw|end)/.test(text)) {
    return `its marks do not carry the word ${mark}`;
  }
  if (/<tool_call>|<function[=_ ]|"tool_calls"|"name"\s*:|"(args|arguments)"\s*:/.test(text)) {
    return 'it has a call in another form than the one that was described';
  }
  return 'it has no mark: neither a call nor an answer';
}

function sectionProblem(sections: readonly Section[], mark: string): string | undefined {
  let hasCall = false;
  for (const { words } of sections) {
    const [kind, name] = words;
    const shown = openMark(mark, words.join(' '));
    if (kind === 'answer') {
      return ANSWER_AND_CALLS;
    }
    if (kind !== 'call' && kind !== 'raw') {
      return `${shown} is no mark: expected call, raw, answer or end after ${mark}`;
    }
    if (name === undefined || name.includes('=')) {
      const expected = kind === 'call' ? 'call <tool>' : 'raw <parameter>';
      return `${shown} has no name: expected ${openMark(mark, expected)}`;
    }
    if (kind === 'raw' && !hasCall) return `${shown} stands before any call`;
    hasCall ||= kind === 'call';
  }
  return undefined;
}

function callsOf(sections: readonly Section[], whole: boolean): readonly ParsedCall[] {
  const calls: ParsedCall[] = [];
  for (const [index, { words, body }] of sections.entries()) {
    const [kind, name = '', ...rest] = words;
    const isCut = !whole && index === sections.length - 1;
    if (kind === 'call') {
      const id = rest.find((word) => word.startsWith('id='))?.slice('id='.length);
      const read = readBody(body);
      calls.push({ name, id, ...(isCut ? cutOff(read) : read) });
      continue;
    }
    const call = calls.pop();
    if (call !== undefined) calls.push(withRaw(call, name, { body, isCut }));
  }
  return calls;
}

function readBody(body: string): ReadArguments {
  const fenced = objectInFence(body);
  return fenced === undefined ? readArguments(body.trim()) : { input: fenced };
}

function cutOff(read: ReadArguments): ReadArguments {
  const cut = 'the reply was cut before the call was complete';
  return { input: {}, malformed: 'malformed' in read ? read.malformed : cut };
}

function withRaw(
  call: ParsedCall,
  parameter: string,
  { body, isCut }: { readonly body: string; readonly isCut: boolean },
): ParsedCall {
  if (call.malformed !== undefined) return call;
  if (isCut) return { ...call, ...cutOff({ input: {} }) };
  if (Object.hasOwn(call.input, parameter)) {
    return { ...call, input: {}, malformed: `the parameter ${parameter} was given twice` };
  }
  return { ...call, input: { ...call.input, [parameter]: trimLine(body) } };
}

/** Without the line ends that belong to the marks around it. */
function trimLine(body: string): string {
  return body.replace(/^[ \t]*\r?\n/, '').replace(/\r?\n[ \t]*$/, '');
}
