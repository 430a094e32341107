import { APIConnectionError, APIError, APIUserAbortError } from 'openai';
import { messageOf } from '../../core/describe-error.ts';
import type { ModelFailureType } from '../../core/failure.ts';
import { isJsonObject } from '../../core/json.ts';
import { isConnectionLoss, reasonOf } from '../connection-loss.ts';
import { ModelFailure } from '../model.ts';
import { retryAfterMs } from '../retry-after.ts';

/** By `error.code` or `error.type`, whichever a server sets. */
const BY_WORD: { readonly [word: string]: ModelFailureType } = {
  insufficient_quota: 'billing',
  billing_hard_limit_reached: 'billing',
  billing_not_active: 'billing',
  rate_limit_exceeded: 'rate_limited',
  rate_limit_error: 'rate_limited',
  overloaded_error: 'overloaded',
  engine_overloaded: 'overloaded',
  server_error: 'server_error',
  internal_error: 'server_error',
  api_error: 'server_error',
  timeout: 'server_error',
  invalid_api_key: 'auth',
  authentication_error: 'auth',
  permission_error: 'permission',
  model_not_found: 'not_found',
  not_found_error: 'not_found',
  context_length_exceeded: 'context_overflow',
  content_filter: 'refused',
  content_policy_violation: 'refused',
  invalid_prompt: 'refused',
};

const BY_STATUS: { readonly [status: number]: ModelFailureType } = {
  401: 'auth',
  402: 'billing',
  403: 'permission',
  404: 'not_found',
  408: 'server_error',
  409: 'server_error',
  413: 'too_large',
  425: 'server_error',
  429: 'rate_limited',
  503: 'overloaded',
  529: 'overloaded',
};

/** Servers have many ways to say it, and few have a word of its own. */
const CONTEXT_TEXT =
  /context (length|window|size)|maximum context|prompt is too long|too many (input )?tokens|exceeds? the (available|model'?s) context/i;
const QUOTA_TEXT = /insufficient (credits|quota|balance)|exceeded your current quota/i;

const ADVICE: Partial<Record<ModelFailureType, string>> = {
  auth: 'pass apiKey (for OpenAI: or set OPENAI_API_KEY)',
  billing: "look at the account's credit and limits",
  permission: 'the key may not use this model or feature',
  not_found: 'check the model id, and the base URL (most end in /v1)',
};

/** Any error of a completion as the one failure type that it is. The only place that decides it. */
export function classifyError(error: unknown): ModelFailure {
  if (error instanceof ModelFailure) return error;
  if (error instanceof APIUserAbortError) {
    return failure('cancelled', 'the completion was cancelled', error);
  }
  if (error instanceof APIConnectionError) {
    // What our own watch on the response throws arrives as the reason of a connection error.
    if (error.cause instanceof ModelFailure || error.cause instanceof APIError) {
      return classifyError(error.cause);
    }
    return failure('connection', `no connection to the model's server: ${reasonOf(error)}`, error);
  }
  if (error instanceof APIError) return fromApiError(error);
  if (error instanceof SyntaxError) {
    return failure('bad_response', `the server sent broken JSON: ${error.message}`, error);
  }
  if (isConnectionLoss(error)) {
    return failure('connection', `the connection broke: ${reasonOf(error)}`, error);
  }
  const words = messageOf(error);
  if (/missing credentials|could not resolve authentication/i.test(words)) {
    return failure('auth', `no API key: ${ADVICE.auth}`, error);
  }
  return failure('bad_response', `the completion failed: ${words}`, error);
}

function fromApiError(error: APIError): ModelFailure {
  const type = typeOf(error);
  const advice = ADVICE[type] === undefined ? '' : `; ${ADVICE[type]}`;
  const place = error.status === undefined ? 'in the answer' : `status ${error.status}`;
  return new ModelFailure(type, `${type}: ${textOf(error)} (${place})${advice}`, {
    cause: error,
    retryAfterMs: retryAfterMs(error.headers, Date.now()),
    requestId: error.requestID ?? undefined,
  });
}

function typeOf(error: APIError): ModelFailureType {
  const text = textOf(error);
  if (CONTEXT_TEXT.test(text) && !isTransientStatus(error.status)) return 'context_overflow';
  if (QUOTA_TEXT.test(text)) return 'billing';
  const word = BY_WORD[String(error.code)] ?? BY_WORD[String(error.type)];
  if (word !== undefined) return word;
  // Inside a 200 some servers put the status where the code belongs.
  const status = error.status ?? statusIn(error.code);
  if (status === undefined) return 'bad_response';
  const type = BY_STATUS[status] ?? (status >= 500 ? 'server_error' : 'invalid_request');
  const asksAgain = error.headers?.get('x-should-retry') === 'true';
  return type === 'invalid_request' && asksAgain ? 'server_error' : type;
}

function isTransientStatus(status: number | undefined): boolean {
  return status === 429 || (status !== undefined && status >= 500);
}

function statusIn(code: unknown): number | undefined {
  const status = Number(code);
  return Number.isInteger(status) && status >= 400 && status < 600 ? status : undefined;
}

/** OpenRouter says what the provider behind it said in `metadata.raw`. */
function textOf(error: APIError): string {
  const body: unknown = error.error;
  if (!isJsonObject(body)) return error.message;
  const message = typeof body['message'] === 'string' ? body['message'] : error.message;
  const raw = isJsonObject(body['metadata']) ? body['metadata']['raw'] : undefined;
  return typeof raw === 'string' ? `${message} (${raw.slice(0, 300)})` : message;
}

function failure(type: ModelFailureType, message: string, cause: unknown): ModelFailure {
  return new ModelFailure(type, message, { cause });
}
