import { AnthropicError, APIConnectionError, APIError, APIUserAbortError } from '@anthropic-ai/sdk';
import { messageOf } from '../../core/describe-error.ts';
import type { ModelFailureType } from '../../core/failure.ts';
import { isConnectionLoss, reasonOf } from '../connection-loss.ts';
import { ModelFailure } from '../model.ts';
import { retryAfterMs } from '../retry-after.ts';

/** By `error.type`: the only word that an error inside a 200 has. */
const BY_TYPE: { readonly [type: string]: ModelFailureType } = {
  rate_limit_error: 'rate_limited',
  overloaded_error: 'overloaded',
  api_error: 'server_error',
  timeout_error: 'server_error',
  conflict_error: 'server_error',
  authentication_error: 'auth',
  permission_error: 'permission',
  billing_error: 'billing',
  not_found_error: 'not_found',
  request_too_large: 'too_large',
  invalid_request_error: 'invalid_request',
  // The names of the frames in which Bedrock reports them.
  throttlingException: 'rate_limited',
  serviceUnavailableException: 'overloaded',
  internalServerException: 'server_error',
  modelStreamErrorException: 'server_error',
  modelTimeoutException: 'server_error',
  validationException: 'invalid_request',
};

const BY_STATUS: { readonly [status: number]: ModelFailureType } = {
  401: 'auth',
  402: 'billing',
  403: 'permission',
  404: 'not_found',
  408: 'server_error',
  409: 'server_error',
  413: 'too_large',
  429: 'rate_limited',
  529: 'overloaded',
};

/** The API has no type of its own for these 400s; only their text tells. */
const CONTEXT_TEXT = /prompt is too long|exceeds? (the )?(maximum )?context|context window/i;
const BILLING_TEXT = /credit balance|spend(ing)? (limit|cap)|billing|usage limit/i;
const IMAGE_CODE = 'image_dimensions_too_large';

const ADVICE: Partial<Record<ModelFailureType, string>> = {
  billing: "look at the account's credit and spend limits",
  permission: 'the key may not use this model or feature',
  not_found: 'check the model id, and the base URL',
};

/** What the SDKs say when they find no credentials at all; they have no error class for it. */
const NO_CREDENTIALS = /could not (resolve authentication|load (the default )?credentials)/i;

/**
 * Any error of a completion as the one failure type that it is. The only place that decides it.
 * `credentials` says where the platform's are looked for.
 */
export function classifyError(error: unknown, credentials: string): ModelFailure {
  if (error instanceof ModelFailure) return error;
  if (error instanceof APIUserAbortError) {
    return failure('cancelled', 'the completion was cancelled', error);
  }
  if (NO_CREDENTIALS.test(reasonOf(error))) {
    return failure('auth', `no credentials: ${credentials}`, error);
  }
  if (error instanceof APIConnectionError) {
    return failure('connection', `no connection to the model API: ${reasonOf(error)}`, error);
  }
  if (error instanceof APIError) return fromApiError(error, credentials);
  if (error instanceof SyntaxError) {
    return failure('bad_response', `the API sent broken JSON: ${error.message}`, error);
  }
  const words = messageOf(error);
  if (isConnectionLoss(error)) {
    return failure('connection', `the connection broke: ${reasonOf(error)}`, error);
  }
  const type = error instanceof AnthropicError ? 'invalid_request' : 'bad_response';
  return failure(type, `the completion failed: ${words}`, error);
}

function fromApiError(error: APIError, credentials: string): ModelFailure {
  const type = typeOf(error);
  const place = error.status === undefined ? 'in the stream' : `status ${error.status}`;
  const words = type === 'auth' ? credentials : ADVICE[type];
  const advice = words === undefined ? '' : `; ${words}`;
  return new ModelFailure(
    type,
    `${type}: ${error.apiMessage ?? error.message} (${place})${advice}`,
    {
      cause: error,
      retryAfterMs: retryAfterMs(error.headers, Date.now()),
      requestId: error.requestID ?? undefined,
    },
  );
}

function typeOf(error: APIError): ModelFailureType {
  const { status, headers } = error;
  const type =
    (error.type === null ? undefined : BY_TYPE[error.type]) ??
    (status === undefined ? undefined : (BY_STATUS[status] ?? byClass(status))) ??
    'bad_response';
  const text = error.apiMessage ?? error.message;
  if (type === 'invalid_request') {
    if (error.errorCode === IMAGE_CODE) return 'too_large';
    if (CONTEXT_TEXT.test(text)) return 'context_overflow';
    if (BILLING_TEXT.test(text)) return 'billing';
    return headers?.get('x-should-retry') === 'true' ? 'server_error' : type;
  }
  // A spend cap is a 429 that does not heal.
  const heals = headers?.get('x-should-retry') !== 'false' && !BILLING_TEXT.test(text);
  return type === 'rate_limited' && !heals ? 'billing' : type;
}

function byClass(status: number): ModelFailureType {
  return status >= 500 ? 'server_error' : 'invalid_request';
}

function failure(type: ModelFailureType, message: string, cause: unknown): ModelFailure {
  return new ModelFailure(type, message, { cause });
}
