import type { Json } from '../../core/json.ts';
import type { StopReasonOfModel } from '../../core/activity-shapes.ts';
import type { WireReply } from './model-server.ts';

/** A turn that a server is to play. */
export interface WireTurn {
  /** Its pieces, each an event of its own. */
  readonly text?: string | readonly string[];
  readonly reasoning?: string;
  readonly calls?: readonly WireCall[];
  /** Default: `tool_calls` with calls, else `end`. */
  readonly stop?: StopReasonOfModel;
  readonly usage?: WireUsage;
  readonly model?: string;
  readonly requestId?: string;
}

export interface WireCall {
  readonly id: string;
  readonly name: string;
  readonly input?: Json;
  /** The arguments' text as it is sent, in place of `input`: cut, or broken. */
  readonly text?: string;
}

/** What the service says it counted; `input` is the uncached part. */
export interface WireUsage {
  readonly input: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly output: number;
  readonly reasoning: number;
}

export const WIRE_USAGE: WireUsage = {
  input: 11,
  cacheRead: 5,
  cacheWrite: 3,
  output: 7,
  reasoning: 2,
};

/** Errors that every service has, whatever it calls them. */
export type WireError =
  | 'rate_limited'
  | 'overloaded'
  | 'server_error'
  | 'invalid_request'
  | 'context_overflow'
  | 'too_large'
  | 'auth'
  | 'permission'
  | 'not_found'
  | 'billing';

/** How one kind of service frames its bytes. */
export interface ModelWire {
  readonly name: string;
  /** The frames of a turn, one chunk per event, as the service streams it. */
  answer(turn: WireTurn): WireReply;
  /** A response with an error status. */
  error(error: WireError, headers?: Readonly<Record<string, string>>): WireReply;
  /** An error after the turn began, inside a 200. */
  errorInStream(error: WireError): WireReply;
  /** The turn without its last event. */
  cut(turn: WireTurn): WireReply;
  /** A stream that begins, and then for a minute sends nothing but what keeps the connection open. */
  keepAlive(): WireReply;
  /** A 200 with an error as JSON in place of a stream. */
  errorBody(error: WireError): WireReply;
  /** What a request's body says, without marks that are made anew for each request. */
  read(body: Json): WireRequest;
}

export interface WireRequest {
  readonly system: Json;
  readonly tools: Json;
  readonly messages: readonly Json[];
}

/** One server-sent event. */
export function sse(data: Json | string, event?: string): Uint8Array {
  const text = typeof data === 'string' ? data : JSON.stringify(data);
  return Buffer.from(`${event === undefined ? '' : `event: ${event}\n`}data: ${text}\n\n`);
}

export const EVENT_STREAM = { 'content-type': 'text/event-stream; charset=utf-8' } as const;

/** A response that is one JSON document. */
export function jsonReply(
  status: number,
  body: Json,
  headers: Readonly<Record<string, string>> = {},
): WireReply {
  return {
    status,
    headers: { 'content-type': 'application/json', ...headers },
    chunks: [Buffer.from(JSON.stringify(body))],
  };
}
