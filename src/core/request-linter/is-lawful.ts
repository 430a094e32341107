import type { RequestMessage } from '../model-request.ts';
import { RULES } from './rules.ts';
import type { MessageRule, RuleContext } from './rule.ts';

type Settings = Omit<RuleContext, 'report'>;

const OF_EACH = RULES.filter(({ about }) => about === 'each').map(({ mend }) => mend);
const OF_ALL = RULES.filter(({ about }) => about === 'all').map(({ mend }) => mend);

/** Messages that no rule about each has to mend, by what these rules depend on. */
const known = new Map<string, WeakSet<RequestMessage>>();
/** Formats and what models take are few; limits of a caller's own need not be. */
const MAX_KNOWN = 100;

/**
 * Whether no rule has anything to mend: what `RULES` would say, one after the other. A message is
 * looked at once, as long as the object lives: a long conversation is linted at every step.
 */
export function isLawful(messages: readonly RequestMessage[], settings: Settings): boolean {
  const found = knownFor(settings);
  const context = { ...settings, report: () => {} };
  const leaves = (mend: MessageRule, some: readonly RequestMessage[]) =>
    mend(some, context) === some;
  const isLawfulAlone = (message: RequestMessage) => {
    if (found.has(message)) return true;
    const alone = [message];
    if (!OF_EACH.every((mend) => leaves(mend, alone))) return false;
    found.add(message);
    return true;
  };
  return messages.every(isLawfulAlone) && OF_ALL.every((mend) => leaves(mend, messages));
}

function knownFor({ format, takes, limits }: Settings): WeakSet<RequestMessage> {
  const key = JSON.stringify([format, takes, limits]);
  const before = known.get(key);
  if (before !== undefined) return before;
  if (known.size >= MAX_KNOWN) known.clear();
  const fresh = new WeakSet<RequestMessage>();
  known.set(key, fresh);
  return fresh;
}
