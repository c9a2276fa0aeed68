/** The logo of an account: which images are accepted, and what is known of a stored one. Contract 14.2. */
import { createHash } from 'node:crypto';
import { refuseField } from '../errors.ts';
import { findImage, type ImageMediaType } from './image.ts';
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
