import {
  defaultPayloadConverter,
  type Payload,
  type PayloadCodec,
  type SerializationContext,
} from '@temporalio/common';
import { messageOf } from '../../core/describe-error.ts';

/** Stands for a payload that nobody here can read; whoever expects a shape refuses it. */
export interface Undecodable {
  readonly undecodable: {
    readonly encoding: string;
    readonly bytes: number;
    readonly problem: string;
  };
}

/** Decodes recorded payloads: codecs from last to first, then JSON. Never throws. */
export type PayloadDecoder = (
  payloads: readonly Payload[] | null | undefined,
  context: SerializationContext,
) => Promise<readonly unknown[]>;

export function createPayloadDecoder(codecs: readonly PayloadCodec[]): PayloadDecoder {
  return async (payloads, context) => {
    if (!payloads || payloads.length === 0) return [];
    let decoded = [...payloads];
    try {
      for (const codec of codecs.toReversed()) decoded = await codec.decode(decoded, context);
    } catch (error) {
      return payloads.map((payload) => undecodable(payload, error));
    }
    return decoded.map(fromPayload);
  };
}

const JSON_PLAIN = Buffer.from('json/plain');

function fromPayload(payload: Payload): unknown {
  try {
    // Temporal's converter decodes UTF-8 in JavaScript, for its sandbox: several times slower.
    if (payload.data && JSON_PLAIN.equals(encodingOf(payload))) {
      return JSON.parse(Buffer.from(payload.data).toString()) as unknown;
    }
    return defaultPayloadConverter.fromPayload<unknown>(payload);
  } catch (error) {
    return undecodable(payload, error);
  }
}

function undecodable(payload: Payload, error: unknown): Undecodable {
  return {
    undecodable: {
      encoding: Buffer.from(encodingOf(payload)).toString('latin1').slice(0, 100) || 'none',
      bytes: payload.data?.length ?? 0,
      problem: messageOf(error).slice(0, 500),
    },
  };
}

function encodingOf(payload: Payload): Uint8Array {
  return payload.metadata?.['encoding'] ?? new Uint8Array();
}
