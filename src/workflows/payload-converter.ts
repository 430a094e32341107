import { defaultPayloadConverter, type Payload, type PayloadConverter } from '@temporalio/common';
import type { Refusal } from '../core/refusal.ts';

/**
 * What a payload that cannot be decoded becomes. Throwing instead would fail the workflow task, and
 * Temporal would repeat it for ever: one signal with broken JSON would stick the conversation.
 */
export interface Undecodable {
  readonly undecodable: {
    readonly encoding: string;
    readonly bytes: number;
    readonly problem: string;
  };
}

export function isUndecodable(value: unknown): value is Undecodable {
  return (
    typeof value === 'object' &&
    value !== null &&
    Object.keys(value).length === 1 &&
    'undecodable' in value &&
    typeof value.undecodable === 'object'
  );
}

/**
 * What the server keeps of one payload. It checks signals and commands, but hands on an update of any
 * size; a worker that took it could not say so, for what it takes goes into an event.
 */
const MAX_PAYLOAD_BYTES = 2 * 1024 * 1024;

/** What to say to whoever sent a payload that cannot be decoded; undefined for any other value. */
export function undecodableRefusal(value: unknown): Refusal | undefined {
  if (!isUndecodable(value)) return undefined;
  const { bytes } = value.undecodable;
  if (bytes > MAX_PAYLOAD_BYTES) {
    return {
      code: 'too_large',
      message: `the payload has ${bytes} bytes, and may have ${MAX_PAYLOAD_BYTES}`,
      size: bytes,
      limit: MAX_PAYLOAD_BYTES,
    };
  }
  const problem = String(value.undecodable.problem).slice(0, 500);
  return { code: 'undecodable', message: `the payload could not be read: ${problem}` };
}

export const payloadConverter: PayloadConverter = {
  toPayload<T>(value: T, ...rest: never[]): Payload {
    const payload = defaultPayloadConverter.toPayload(value, ...rest);
    const bytes = payload.data?.length ?? 0;
    // The server would end the workflow for it. A failed task can be mended by a deploy.
    if (bytes > MAX_PAYLOAD_BYTES) {
      throw new RangeError(
        `a payload of ${bytes} bytes must not leave the workflow: ${MAX_PAYLOAD_BYTES} are allowed`,
      );
    }
    return payload;
  },
  fromPayload<T>(payload: Payload, ...rest: never[]): T {
    try {
      if ((payload.data?.length ?? 0) > MAX_PAYLOAD_BYTES) throw new RangeError('it is too large');
      return defaultPayloadConverter.fromPayload<T>(payload, ...rest);
    } catch (error) {
      const undecodable: Undecodable = {
        undecodable: {
          encoding: encodingOf(payload),
          bytes: payload.data?.length ?? 0,
          problem: error instanceof Error ? error.message.slice(0, 500) : String(error),
        },
      };
      return undecodable as T;
    }
  },
};

function encodingOf(payload: Payload): string {
  const bytes = payload.metadata?.['encoding'];
  return bytes === undefined || bytes === null
    ? 'none'
    : Array.from(bytes.slice(0, 100), (byte) => String.fromCharCode(byte)).join('');
}
