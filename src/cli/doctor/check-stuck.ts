import type { PerdureClient } from '../../client/perdure-client.ts';
import { count } from '../words.ts';
import { oneLine } from '../report-error.ts';
import type { Finding } from './finding.ts';

const CHECK = 'stuck runs';
const SHOWN = 3;

/** Conversations whose workflow task keeps failing: a defect, or code that does not fit their history. */
export async function checkStuck(client: PerdureClient): Promise<Finding> {
  try {
    const ids: string[] = [];
    for await (const { id } of client.list({ life: 'running', stuck: true })) ids.push(id);
    if (ids.length === 0) return { check: CHECK, verdict: 'ok', detail: 'none' };
    const more = ids.length > SHOWN ? ', …' : '';
    return {
      check: CHECK,
      verdict: 'bad',
      detail: `${count(ids.length, 'conversation')}: ${ids.slice(0, SHOWN).join(', ')}${more}`,
      mend: 'perdure repair <conversation> says why, and the way out; with a fix deployed they go on from where they are (perdure ls --stuck)',
    };
  } catch (error) {
    return { check: CHECK, verdict: 'skipped', detail: oneLine(error) };
  }
}
