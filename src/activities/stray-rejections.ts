import { describeError } from '../core/describe-error.ts';
import { callScope } from '../tools/call-scope.ts';

interface ErrorLog {
  error(message: string, fields?: Record<string, unknown>): void;
}

/**
 * A tool that starts work and does not wait for it can reject a promise when nobody listens any
 * more. Node would end the worker, and every other call with it; instead it is logged, with the name
 * of the tool and the key of the call that started the work. Once per process.
 * @returns what undoes it
 */
export function logStrayRejections(log: ErrorLog): () => void {
  const onRejection = (reason: unknown): void => {
    const error = describeError(reason);
    // The listener runs in the context in which the promise was made.
    const scope = callScope.getStore();
    if (scope === undefined) {
      log.error('a promise was rejected and nobody had waited for it', { error });
      return;
    }
    const { tool, key } = scope;
    scope.log.error(
      `the tool "${tool}" left work behind that failed: await every promise that it starts`,
      { error, key },
    );
  };
  process.on('unhandledRejection', onRejection);
  return () => {
    process.off('unhandledRejection', onRejection);
  };
}
