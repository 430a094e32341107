import { textOf } from '../../core/content.ts';
import type { Entry } from '../../core/entry.ts';
import type { RecordedAt } from '../../core/header.ts';
import { isBlobReference, previewOf, type Stored } from '../../core/stored.ts';
import type { RecordedEntry } from './conversation-record.ts';
import { textOfRaw } from './text-of-raw.ts';

/** Where and when history has an entry. */
export interface EntryPlace {
  readonly place: RecordedAt;
  readonly at: string;
  readonly text?: Stored<string>;
}

/** An entry with its header, as the workflow's own list has it. */
export function recordedEntryOf(
  n: number,
  { entry, digest }: { readonly entry: Entry; readonly digest: string },
  recorded: EntryPlace | undefined,
): RecordedEntry {
  const text = entry.kind === 'assistant' ? (recorded?.text ?? wordsOf(entry.raw)) : undefined;
  return {
    header: {
      n,
      kind: entry.kind,
      turn: entry.turn,
      step: entry.step,
      size: Buffer.byteLength(JSON.stringify(entry)),
      preview: previewOfEntry(entry, text),
      ...(recorded === undefined ? {} : { at: recorded.place }),
      ...(entry.kind === 'result'
        ? { outcome: entry.outcome, key: entry.key, tool: entry.tool }
        : {}),
    },
    entry,
    digest,
    ...(recorded === undefined ? {} : { at: recorded.at }),
    ...(text === undefined ? {} : { text }),
  };
}

function wordsOf(raw: Extract<Entry, { kind: 'assistant' }>['raw']): string {
  return isBlobReference(raw) ? raw.preview : textOfRaw(raw);
}

function previewOfEntry(entry: Entry, text: Stored<string> | undefined): string {
  switch (entry.kind) {
    case 'assistant':
      return isBlobReference(text) ? text.preview : previewOf(text ?? '');
    case 'note':
      return previewOf(entry.text);
    case 'user':
    case 'result':
    case 'summary':
      return isBlobReference(entry.content)
        ? entry.content.preview
        : previewOf(textOf(entry.content));
  }
}
