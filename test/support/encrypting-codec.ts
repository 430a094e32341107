import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { Payload, PayloadCodec } from '@temporalio/common';
import { temporal } from '@temporalio/proto';

const ENCODING = Buffer.from('binary/encrypted');
const PayloadMessage = temporal.api.common.v1.Payload;

/** AES-256-GCM over whole payloads, as Temporal's own sample does it. */
export function encryptingCodec(key: Uint8Array): PayloadCodec {
  return {
    encode: (payloads) => Promise.resolve(payloads.map((payload) => encrypt(key, payload))),
    decode: (payloads) => Promise.resolve(payloads.map((payload) => decrypt(key, payload))),
  };
}

function encrypt(key: Uint8Array, payload: Payload): Payload {
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, nonce);
  const bytes = Buffer.concat([
    cipher.update(PayloadMessage.encode(payload).finish()),
    cipher.final(),
  ]);
  return {
    metadata: { encoding: ENCODING },
    data: Buffer.concat([nonce, cipher.getAuthTag(), bytes]),
  };
}

function decrypt(key: Uint8Array, payload: Payload): Payload {
  if (!ENCODING.equals(payload.metadata?.['encoding'] ?? Buffer.alloc(0))) return payload;
  const data = payload.data ?? Buffer.alloc(0);
  const decipher = createDecipheriv('aes-256-gcm', key, data.subarray(0, 12));
  decipher.setAuthTag(data.subarray(12, 28));
  return PayloadMessage.decode(
    Buffer.concat([decipher.update(data.subarray(28)), decipher.final()]),
  );
}
