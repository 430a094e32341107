/** System and fetch errors that mean: no response came. */
const CODES: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'EHOSTDOWN',
  'ENETUNREACH',
  'ENETDOWN',
  'ENOTFOUND',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_SOCKET',
]);

/** What `fetch` and `node:http` say when a response had already begun. */
const AFTER_RESPONSE: ReadonlySet<string> = new Set(['terminated', 'aborted']);

const MAX_DEPTH = 5;

/** Whether an error says that a connection failed before a response came (design §4, transient). */
export function isConnectionError(thrown: unknown): boolean {
  try {
    return hasConnectionCode(thrown, MAX_DEPTH);
  } catch {
    return false;
  }
}

function hasConnectionCode(thrown: unknown, depth: number): boolean {
  if (depth === 0 || typeof thrown !== 'object' || thrown === null) return false;
  const { message, code, cause, errors } = thrown as {
    message?: unknown;
    code?: unknown;
    cause?: unknown;
    errors?: unknown;
  };
  if (typeof message === 'string' && AFTER_RESPONSE.has(message)) return false;
  if (typeof code === 'string' && CODES.has(code)) return true;
  if (hasConnectionCode(cause, depth - 1)) return true;
  // Several addresses of one host were tried, and each failed.
  return (
    Array.isArray(errors) &&
    errors.length > 0 &&
    errors.every((error) => hasConnectionCode(error, depth - 1))
  );
}
