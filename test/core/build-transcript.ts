import fc from 'fast-check';
import { textOf } from '../../src/core/content.ts';
import type { AssistantEntry, Entry, View } from '../../src/core/entry.ts';
import type { CompactionPlan } from '../../src/core/compaction.ts';
import { withSummary } from '../../src/core/compaction.ts';
import type { Json } from '../../src/core/json.ts';
import type { Block, RequestMessage } from '../../src/core/model-request.ts';
import { renderTranscript } from '../../src/core/render-transcript.ts';

const at = '2026-01-01T00:00:00.000Z';

export interface Shape {
  /** What users say before the step; the conversation's first step always has a message. */
  readonly said: number;
  readonly noted: 'shown' | 'hidden' | 'no';
  /** Characters of each call's result. */
  readonly results: readonly number[];
  readonly failed: boolean;
  readonly reasons: boolean;
}

/** A transcript of steps, and what users said after the last. */
export function transcriptOf(shapes: readonly Shape[], saidLast: boolean): readonly Entry[] {
  const entries: Entry[] = [];
  const say = (placed: { turn: number; step: number }) =>
    entries.push({
      kind: 'user',
      id: `${entries.length}`,
      content: `said ${entries.length}`,
      at,
      ...placed,
    });
  shapes.forEach(({ said, noted, results, failed, reasons }, n) => {
    const placed = { turn: 1 + Math.floor(n / 3), step: 1 + (n % 3) };
    for (let i = 0; i < Math.max(said, n === 0 ? 1 : 0); i += 1) say(placed);
    if (noted !== 'no') {
      const shown = noted === 'shown';
      entries.push({ kind: 'note', code: 'c', text: 'a note', shown, at, ...placed });
    }
    const blocks: Block[] = [
      ...(reasons ? [{ type: 'reasoning', text: 'hm', signed: true } as const] : []),
      { type: 'text', text: `step ${n}` },
      ...results.map((_, i): Block => ({
        type: 'tool_call',
        id: `${n}-${i}`,
        name: 'look',
        input: {},
      })),
    ];
    entries.push({
      kind: 'assistant',
      format: 'own',
      model: 'own-1',
      raw: blocks as unknown as Json,
      ...placed,
    });
    results.forEach((size, index) =>
      entries.push({
        kind: 'result',
        index,
        key: `c/${placed.turn}.${placed.step}.${index}.r`,
        callId: `${n}-${index}`,
        tool: 'look',
        outcome: failed ? 'tool_error' : 'ok',
        effect: 'none',
        content: `<${n}-${index}>`.padEnd(size, '.'),
        ...placed,
      }),
    );
  });
  if (saidLast || entries.at(-1)?.kind === 'assistant') say({ turn: 99, step: 1 });
  return entries;
}

const shape: fc.Arbitrary<Shape> = fc.record({
  said: fc.nat({ max: 2 }),
  noted: fc.constantFrom('no', 'no', 'shown', 'hidden'),
  results: fc.array(fc.constantFrom(10, 500, 20_000), { maxLength: 3 }),
  failed: fc.boolean(),
  reasons: fc.boolean(),
});
export const transcripts = fc
  .tuple(fc.array(shape, { minLength: 1, maxLength: 10 }), fc.boolean())
  .map(([shapes, saidLast]) => transcriptOf(shapes, saidLast));

export const render = (entries: readonly Entry[], view: View | undefined) =>
  renderTranscript(entries, view, (entry: AssistantEntry) => entry.raw as unknown as Block[]);

/** The plan as it is carried out, with a summary or without. */
export function viewsOf(plan: CompactionPlan): readonly View[] {
  if (plan.kind === 'none') return [];
  return plan.kind === 'cut' ? [plan.view] : [plan.view, withSummary(plan, 'What came before.')];
}

export const resultTexts = (messages: readonly RequestMessage[]) =>
  messages.flatMap((message) =>
    message.role === 'tool' ? message.results.map(({ content }) => textOf(content)) : [],
  );
