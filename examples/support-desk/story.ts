import type { ConversationRecord } from 'perdure/client';
import { isBlobReference, textOf } from 'perdure/client';
import type { Booking } from './desk.ts';

/** What happened, step by step, from the history alone: no process needs to be up for it. */
export function storyOf(record: ConversationRecord): string[] {
  const startedMs = Date.parse(record.startedAt);
  const at = (iso: string | undefined) =>
    iso === undefined ? '' : `${((Date.parse(iso) - startedMs) / 1000).toFixed(1)} s`.padStart(7);
  const lines: string[] = [];
  for (const { entry, at: when, text } of record.entries) {
    switch (entry.kind) {
      case 'user':
        lines.push(`${at(when ?? entry.at)}  customer    ${shown(entry.content)}`);
        break;
      case 'assistant':
        lines.push(
          `${at(when)}  completion  ${entry.model}${text === undefined ? '' : `: ${shown(text)}`}`,
        );
        break;
      case 'result': {
        const call = record.calls.find(({ planned }) => planned.key === entry.key);
        const attempts = call?.attempts ?? [];
        const took = attempts.map(
          (attempt) =>
            `${attempt.state}${attempt.failure === undefined ? '' : ` (${attempt.failure.type})`}`,
        );
        lines.push(
          `${at(when)}  tool call   ${entry.tool}: ${entry.outcome}; ${attempts.length} attempt${attempts.length === 1 ? '' : 's'}: ${took.join(', then ')}`,
        );
        for (const { decision, by, via } of call?.decisions ?? []) {
          lines.push(`         ${' '.repeat(12)}${decision} by ${JSON.stringify(by)} (${via})`);
        }
        break;
      }
      case 'note':
      case 'summary':
        break;
    }
  }
  return lines;
}

/** How often each effect happened outside of Temporal: what the desk's own book says. */
export function countEffects(bookings: readonly Booking[]): string[] {
  const counts = new Map<string, number>();
  for (const { kind, orderId } of bookings) {
    const name = `${kind} for ${orderId}`;
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return [...counts].map(([name, count]) => `${name}: ${count === 1 ? 'once' : `${count} times`}`);
}

function shown(
  content:
    | Parameters<typeof textOf>[0]
    | { readonly preview: string; readonly blob: string; readonly size: number },
): string {
  const text = isBlobReference(content) ? content.preview : textOf(content);
  const line = text.replace(/\s+/g, ' ');
  return line.length > 90 ? `${line.slice(0, 89)}…` : line;
}
