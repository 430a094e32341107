import { withoutPadding } from '../base64-padding.ts';

/** What the bytes of an image say of it, whatever it is called. Pixels are 0 where they say none. */
export interface ImageFacts {
  readonly mediaType: 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp';
  readonly width: number;
  readonly height: number;
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** Frame headers of JPEG; C4, C8 and CC are other things. */
const JPEG_FRAMES = new Set([
  0xc0, 0xc1, 0xc2, 0xc3, 0xc5, 0xc6, 0xc7, 0xc9, 0xca, 0xcb, 0xcd, 0xce, 0xcf,
]);

/** Reads an image's kind and size from its base64; `undefined` when it is none that models take. */
export function imageFacts(base64: string): ImageFacts | undefined {
  const image = new Bytes(base64);
  if (image.startsWith(0, '\x89PNG')) {
    return { mediaType: 'image/png', width: image.big(16, 4), height: image.big(20, 4) };
  }
  if (image.startsWith(0, 'GIF8')) {
    return { mediaType: 'image/gif', width: image.little(6, 2), height: image.little(8, 2) };
  }
  if (image.startsWith(0, 'RIFF') && image.startsWith(8, 'WEBP')) {
    return { mediaType: 'image/webp', ...webpSize(image) };
  }
  if (image.startsWith(0, '\xff\xd8\xff')) return { mediaType: 'image/jpeg', ...jpegSize(image) };
  return undefined;
}

/** Before the frame: cameras and colour profiles put some hundred; who puts millions wants to keep us busy. */
const MAX_MARKERS = 2_000;

interface Size {
  readonly width: number;
  readonly height: number;
}

function webpSize(image: Bytes): Size {
  if (image.startsWith(12, 'VP8X')) {
    return { width: image.little(24, 3) + 1, height: image.little(27, 3) + 1 };
  }
  if (image.startsWith(12, 'VP8L')) {
    const bits = image.little(21, 4);
    return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
  }
  return { width: image.little(26, 2) & 0x3fff, height: image.little(28, 2) & 0x3fff };
}

function jpegSize(image: Bytes): Size {
  let at = 2;
  for (let markers = 0; markers < MAX_MARKERS && at + 9 <= image.length; markers += 1) {
    if (image.at(at) !== 0xff) return { width: 0, height: 0 };
    const marker = image.at(at + 1);
    if (JPEG_FRAMES.has(marker)) {
      return { height: image.big(at + 5, 2), width: image.big(at + 7, 2) };
    }
    // 0xff may be repeated as padding before a marker.
    at += marker === 0xff ? 1 : 2 + image.big(at + 2, 2);
  }
  return { width: 0, height: 0 };
}

/** The bytes behind a base64 text, each read where it stands: an image is not decoded for its header. */
class Bytes {
  readonly #base64: string;
  readonly length: number;

  constructor(base64: string) {
    this.#base64 = base64;
    this.length = Math.floor((withoutPadding(base64).length * 3) / 4);
  }

  /** 0 beyond the end. */
  at(index: number): number {
    // Three bytes are four characters of six bits.
    const place = index % 3;
    const first = Math.floor(index / 3) * 4 + place;
    const bits = (this.#sextet(first) << 6) | this.#sextet(first + 1);
    return (bits >> (4 - 2 * place)) & 0xff;
  }

  big(index: number, count: number): number {
    let value = 0;
    for (let n = 0; n < count; n += 1) value = value * 256 + this.at(index + n);
    return value;
  }

  little(index: number, count: number): number {
    let value = 0;
    for (let n = count - 1; n >= 0; n -= 1) value = value * 256 + this.at(index + n);
    return value;
  }

  startsWith(index: number, latin1: string): boolean {
    for (let n = 0; n < latin1.length; n += 1) {
      if (latin1.charCodeAt(n) !== this.at(index + n)) return false;
    }
    return true;
  }

  #sextet(index: number): number {
    return Math.max(0, ALPHABET.indexOf(this.#base64.charAt(index)));
  }
}
