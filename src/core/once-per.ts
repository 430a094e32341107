/**
 * Asks once per object and remembers the answer as long as the object lives. For answers about
 * values that nobody changes: the entries of a long conversation are rendered and linted at every
 * step.
 */
export function oncePer<K extends object, V>(ask: (key: K) => V): (key: K) => V {
  const answers = new WeakMap<K, { readonly answer: V }>();
  return (key) => {
    const known = answers.get(key);
    if (known !== undefined) return known.answer;
    const answer = ask(key);
    answers.set(key, { answer });
    return answer;
  };
}
