import { isJsonObject, type Json } from '../../core/json.ts';

/** Who, as far as it was said. */
export function whoWords(who: unknown): string {
  if (!isJsonObject(who)) return 'somebody';
  const { id, name, via } = who;
  const person = typeof name === 'string' ? name : typeof id === 'string' ? id : 'somebody';
  return typeof via === 'string' ? `${person} (${via})` : person;
}

/** What arrived from outside, in a few words. */
export function receivedWords(name: string, payload: Json): string {
  const fields = isJsonObject(payload) ? payload : {};
  const by = whoWords(fields['by']);
  const reason = typeof fields['reason'] === 'string' ? `: ${fields['reason']}` : '';
  const edited = fields['input'] === undefined ? '' : ', with other arguments';
  const decision = name === 'decide' ? fields['decision'] : name;
  switch (decision) {
    case 'approve':
      return `approved by ${by}${edited}${reason}`;
    case 'deny':
      return `denied by ${by}${reason}`;
    case 'stop':
      return `stop by ${by}${reason}`;
    case 'close':
      return `close by ${by}`;
    default:
      return `${name} by ${by}`;
  }
}
