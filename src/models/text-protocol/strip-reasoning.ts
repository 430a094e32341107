import { findMarks, type FoundMark } from './marks.ts';

const OPEN = /<(?:think|thinking)>/g;
const CLOSE = /<\/(?:think|thinking)>/;
const TAGS = /<\/?(?:think|thinking)>/g;

export interface StrippedReply {
  readonly reasoning: string;
  /** The reply without it. */
  readonly text: string;
  /** Marks that stood in the reasoning. */
  readonly rehearsed: number;
}

/**
 * Takes the reasoning out of a reply. Nothing in it is a call: models rehearse there. An end tag
 * without a start means that the start was in the prompt, except in the last text of an envelope; a
 * start without an end, that all the rest is reasoning. From the first mark outside it on, the reply is
 * an envelope, and its tags are content.
 */
export function stripReasoning(reply: string, mark: string | null): StrippedReply {
  const marks = mark === null ? [] : findMarks(reply, mark);
  const first = marks.find(
    ({ start }) => !isReasoning(reasoningRanges(reply, start, marks), start),
  );
  const ranges = reasoningRanges(reply, first?.start ?? reply.length, marks);
  const before = first === undefined ? reply : reply.slice(0, first.start);
  const prose = without(before, ranges).trim();
  const envelope = first === undefined ? '' : reply.slice(first.start);
  return {
    reasoning: ranges
      .map(({ start, end }) => reply.slice(start, end).replace(TAGS, ''))
      .join('\n')
      .trim(),
    text: prose === '' || envelope === '' ? prose + envelope : `${prose}\n${envelope}`,
    rehearsed: first === undefined ? marks.length : marks.indexOf(first),
  };
}

interface Range {
  readonly start: number;
  readonly end: number;
}

/** Where reasoning stands, of what begins before `stopAt`. */
function reasoningRanges(
  reply: string,
  stopAt: number,
  marks: readonly FoundMark[],
): readonly Range[] {
  const ranges: Range[] = [];
  const close = CLOSE.exec(reply);
  const isOpened = close !== null && reply.slice(0, close.index).search(OPEN) !== -1;
  let from = 0;
  if (close !== null && !isOpened && !isContent(close.index, marks)) {
    from = close.index + close[0].length;
    ranges.push({ start: 0, end: from });
  }
  for (const { index } of reply.matchAll(OPEN)) {
    if (index >= stopAt) break;
    if (index < from) continue;
    const end = CLOSE.exec(reply.slice(index));
    from = end === null ? reply.length : index + end.index + end[0].length;
    ranges.push({ start: index, end: from });
  }
  return ranges;
}

/** Between a mark and the end mark that is the very next one. */
function isContent(position: number, marks: readonly FoundMark[]): boolean {
  const next = marks.findIndex(({ start }) => start > position);
  return next > 0 && marks[next]?.words === 'end' && marks[next - 1]?.words !== 'end';
}

function isReasoning(ranges: readonly Range[], position: number): boolean {
  return ranges.some(({ start, end }) => start <= position && position < end);
}

function without(text: string, ranges: readonly Range[]): string {
  let kept = '';
  let from = 0;
  for (const { start, end } of ranges) {
    kept += text.slice(from, start);
    from = Math.max(from, end);
  }
  return kept + text.slice(from);
}
