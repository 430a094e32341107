import { APIError } from 'openai';
import type { Json, JsonObject } from '../../core/json.ts';

/** Parameters that a server refused; it is asked without them from then on. */
export type Learned = Set<string>;

/** What a completion can do without. */
const DISPENSABLE = [
  'temperature',
  'top_p',
  'stop',
  'stream_options',
  'parallel_tool_calls',
  'frequency_penalty',
  'presence_penalty',
  'logit_bias',
  'seed',
  'include',
];

/** A server that does not know one of these wants the other. */
const OTHER_NAME: { readonly [name: string]: string } = {
  max_tokens: 'max_completion_tokens',
  max_completion_tokens: 'max_tokens',
};

/**
 * Whether the error says that the server does not take a parameter that can be left out or renamed,
 * and did not say so before: then the same request, changed, is worth sending. Nothing was billed.
 */
export function learnFrom(error: unknown, body: JsonObject, learned: Learned): boolean {
  if (!(error instanceof APIError) || (error.status !== 400 && error.status !== 422)) return false;
  const refused = refusedParameter(error, Object.keys(body));
  if (refused === undefined || learned.has(refused)) return false;
  learned.add(refused);
  return true;
}

function refusedParameter(error: APIError, sent: readonly string[]): string | undefined {
  const known = [...DISPENSABLE, ...Object.keys(OTHER_NAME)].filter((name) => sent.includes(name));
  if (error.param !== null && error.param !== undefined && known.includes(error.param)) {
    return isAboutSupport(error) ? error.param : undefined;
  }
  if (!isAboutSupport(error)) return undefined;
  return known.find((name) => new RegExp(`\\b${name}\\b`).test(error.message));
}

function isAboutSupport(error: APIError): boolean {
  return (
    error.code === 'unsupported_parameter' ||
    error.code === 'unsupported_value' ||
    /unsupported|not supported|not permitted|unrecognized|unknown|unexpected|does not support|extra inputs/i.test(
      error.message,
    )
  );
}

export function withoutRefused(body: JsonObject, learned: Learned): JsonObject {
  const kept: [string, Json][] = [];
  for (const [name, value] of Object.entries(body)) {
    if (!learned.has(name)) kept.push([name, value]);
    else if (OTHER_NAME[name] !== undefined) kept.push([OTHER_NAME[name], value]);
  }
  return Object.fromEntries(kept);
}
