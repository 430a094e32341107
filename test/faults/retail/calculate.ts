/** Arithmetic with `+`, `-`, `*`, `/` and parentheses; of anything else it makes NaN. */
export function calculate(expression: string): number {
  const tokens = expression.match(/\d+(?:\.\d+)?|[+\-*/()]/g) ?? [];
  let at = 0;
  const chain = (operators: Readonly<Record<string, Operator>>, next: () => number): number => {
    let value = next();
    for (;;) {
      const operator = operators[tokens[at] ?? ''];
      if (operator === undefined) return value;
      at += 1;
      value = operator(value, next());
    }
  };
  const atom = (): number => {
    const token = tokens[at++];
    if (token === '-') return -atom();
    if (token !== '(') return Number(token);
    const value = sum();
    at += 1;
    return value;
  };
  const product = (): number => chain({ '*': (a, b) => a * b, '/': (a, b) => a / b }, atom);
  const sum = (): number => chain({ '+': (a, b) => a + b, '-': (a, b) => a - b }, product);
  return sum();
}

type Operator = (a: number, b: number) => number;
