import type { Entry } from '../../core/entry.ts';
import { oncePer } from '../../core/once-per.ts';
import { measure } from './digest.ts';
import type { LineEntry } from './transcript-line.ts';

/** An entry with its digest, which is made once: who makes the entry asks for it, and who keeps it. */
export const measured = oncePer((entry: Entry): LineEntry => ({ entry, ...measure(entry) }));
