import type { Category } from '../../core/outcome.ts';

/** Thrown where the planning of one call ends: it has its result and will not run. */
export class CallEnded extends Error {
  override readonly name = 'CallEnded';
  readonly outcome: Category;

  constructor(outcome: Category, message: string) {
    super(message);
    this.outcome = outcome;
  }
}
