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

/** The same for a list of them, remembered with its first: the last list that began so. */
export function oncePerList<K extends object, V>(
  ask: (list: readonly K[]) => V,
): (list: readonly [K, ...K[]]) => V {
  const answers = new WeakMap<K, { readonly list: readonly K[]; readonly answer: V }>();
  return (list) => {
    const known = answers.get(list[0]);
    if (known?.list.length === list.length && known.list.every((item, n) => item === list[n])) {
      return known.answer;
    }
    const answer = ask(list);
    answers.set(list[0], { list, answer });
    return answer;
  };
}
