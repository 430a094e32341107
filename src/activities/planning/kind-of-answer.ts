import { isJsonObject } from '../../core/json.ts';

/** Characters of an answer that a problem repeats. */
const MAX_CHARACTERS = 60;

/** What the code of a policy or a tool answered instead of what it may, in a few words. */
export function kindOfAnswer(answer: unknown): string {
  if (typeof answer === 'string') return JSON.stringify(answer.slice(0, MAX_CHARACTERS));
  if (Array.isArray(answer)) return `a list of ${answer.length}`;
  if (typeof answer === 'function') return 'a function';
  if (isJsonObject(answer)) {
    const names = Object.keys(answer).join(', ').slice(0, MAX_CHARACTERS);
    return `an object with ${names || 'nothing'}`;
  }
  return String(answer).slice(0, MAX_CHARACTERS);
}
