import { inflateRawSync } from 'node:zlib';

const END_OF_DIRECTORY = 0x06054b50;
const DIRECTORY_ENTRY = 0x02014b50;
const END_OF_DIRECTORY_BYTES = 22;
const STORED = 0;
const DEFLATED = 8;

/**
 * The bytes of the one file in a zip archive whose name ends with `suffix`. Enough for wheels: no
 * encryption, no zip64.
 * @throws {Error} when the archive is damaged or has no such file.
 */
export function extractFromZip(archive: Buffer, suffix: string): Buffer {
  const end = archive.lastIndexOf(littleEndian(END_OF_DIRECTORY));
  if (end < 0 || end + END_OF_DIRECTORY_BYTES > archive.length) {
    throw new Error('expected a zip archive, got bytes without an end-of-directory record');
  }
  let at = archive.readUInt32LE(end + 16);
  for (let left = archive.readUInt16LE(end + 10); left > 0; left -= 1) {
    if (archive.readUInt32LE(at) !== DIRECTORY_ENTRY) {
      throw new Error(`the zip archive is damaged: no directory entry at byte ${at}`);
    }
    const nameLength = archive.readUInt16LE(at + 28);
    const name = archive.toString('utf8', at + 46, at + 46 + nameLength);
    if (name.endsWith(suffix)) return contentOf(archive, at, name);
    at += 46 + nameLength + archive.readUInt16LE(at + 30) + archive.readUInt16LE(at + 32);
  }
  throw new Error(`expected a file that ends with "${suffix}" in the zip archive, found none`);
}

function contentOf(archive: Buffer, entry: number, name: string): Buffer {
  const method = archive.readUInt16LE(entry + 10);
  const packedBytes = archive.readUInt32LE(entry + 20);
  const header = archive.readUInt32LE(entry + 42);
  const start = header + 30 + archive.readUInt16LE(header + 26) + archive.readUInt16LE(header + 28);
  const packed = archive.subarray(start, start + packedBytes);
  if (method === STORED) return Buffer.from(packed);
  if (method === DEFLATED) return inflateRawSync(packed);
  throw new Error(
    `"${name}" in the zip archive uses compression method ${method}, expected 0 or 8`,
  );
}

function littleEndian(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}
