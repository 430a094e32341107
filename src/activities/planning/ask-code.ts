import { describeError } from '../../core/describe-error.ts';
import { CallEnded } from './call-ended.ts';
import { withinLimit } from './within-limit.ts';

/**
 * The answer of an author's code about a call.
 * @throws {CallEnded} `approval_failed`, with type and message, when it throws or gives no answer in
 *   time: what cannot be decided does not run
 */
export async function askCode<T>(
  what: string,
  limitMs: number,
  code: () => T | Promise<T>,
): Promise<T> {
  try {
    return await withinLimit(limitMs, code);
  } catch (error) {
    throw new CallEnded('approval_failed', `${what} failed: ${describeError(error)}`);
  }
}
