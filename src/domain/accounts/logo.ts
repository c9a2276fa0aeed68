/** The logo of an account: which images are accepted, and what is known of a stored one. Contract 14.2. */
import { createHash } from 'node:crypto';
import { refuseField } from '../errors.ts';
import { accountLimits } from './limits.ts';

export type Logo = {
  /** SHA-256 of the bytes, in hex. */
  readonly digest: string;
  readonly mediaType: ImageMediaType;
  readonly byteCount: number;
};

/** Only the bytes are checked, never a file name: the logo is served with the media type that they have. */
export function checkLogo(bytes: Buffer): Logo {
  const { logoBytesMax, logoSidePixelsMax: sideMax } = accountLimits;
  if (bytes.length > logoBytesMax) {
    refuseField('logo', `must have at most ${logoBytesMax / 1024} KiB: make the image smaller`);
  }
  const image = findImage(bytes);
  if (!image) {
    refuseField(
      'logo',
      'must be a PNG, JPEG or WebP image; SVG is not accepted, because it can contain scripts',
    );
  }
  const { mediaType, width, height } = image;
  if ([width, height].some((side) => side < 1 || side > sideMax)) {
    refuseField('logo', `has ${width} x ${height} pixels: each side must have 1 to ${sideMax}`);
  }
  const digest = createHash('sha256').update(bytes).digest('hex');
  return { digest, mediaType, byteCount: bytes.length };
}

export const isLogoDigest = (text: string): boolean => /^[\da-f]{64}$/.test(text);

export type ImageMediaType = (typeof formats)[number]['mediaType'];

type PixelSize = { readonly width: number; readonly height: number };

/** Undefined for other formats, and where the header is damaged or cut off. */
export function findImage(bytes: Buffer) {
  const format = formats.find(({ start }) => has(bytes, 0, start));
  const size = format?.sizeOf(bytes);
  return format && size && { mediaType: format.mediaType, ...size };
}

const formats = [
  { mediaType: 'image/png', start: '\x89PNG\r\n\x1a\n', sizeOf: sizeOfPng },
  { mediaType: 'image/jpeg', start: '\xff\xd8\xff', sizeOf: sizeOfJpeg },
  { mediaType: 'image/webp', start: 'RIFF', sizeOf: sizeOfWebp },
] as const;

function has(bytes: Buffer, offset: number, text: string): boolean {
  return bytes.toString('latin1', offset, offset + text.length) === text;
}

/** The first chunk is IHDR, which begins with the size. */
function sizeOfPng(bytes: Buffer): PixelSize | undefined {
  if (bytes.length < 24 || !has(bytes, 12, 'IHDR')) return undefined;
  return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
}

/** The size is in the start of frame, which segments of various lengths precede. */
function sizeOfJpeg(bytes: Buffer): PixelSize | undefined {
  let offset = 2;
  while (offset + 9 <= bytes.length && bytes[offset] === 0xff) {
    const marker = bytes[offset + 1] ?? 0;
    if (isStartOfFrame(marker)) {
      return { height: bytes.readUInt16BE(offset + 5), width: bytes.readUInt16BE(offset + 7) };
    }
    // A marker may be preceded by any number of 0xff.
    if (marker === 0xff) offset += 1;
    else if (isSegment(marker)) offset += 2 + bytes.readUInt16BE(offset + 2);
    else return undefined;
  }
  return undefined;
}

/** 0xc4, 0xc8 and 0xcc lie between the starts of frames and are tables. */
function isStartOfFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
}

/** The segments that may precede a frame: tables, restart interval, application data, comments. */
function isSegment(marker: number): boolean {
  const isTable = [0xc4, 0xc8, 0xcc, 0xdb, 0xdd].includes(marker);
  return isTable || (marker >= 0xe0 && marker <= 0xef) || marker === 0xfe;
}

/** The first chunk has the size: lossy, lossless, or extended. */
function sizeOfWebp(bytes: Buffer): PixelSize | undefined {
  if (bytes.length < 30 || !has(bytes, 8, 'WEBP')) return undefined;
  if (has(bytes, 12, 'VP8 ') && has(bytes, 23, '\x9d\x01\x2a')) {
    // The two highest bits are a scale.
    return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
  }
  if (has(bytes, 12, 'VP8L') && bytes[20] === 0x2f) {
    const packed = bytes.readUInt32LE(21);
    return { width: (packed & 0x3fff) + 1, height: ((packed >>> 14) & 0x3fff) + 1 };
  }
  if (has(bytes, 12, 'VP8X')) {
    return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
  }
  return undefined;
}
