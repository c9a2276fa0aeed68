import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { checkLogo, findImage } from '../../../src/domain/accounts/logo.ts';
import { ServiceError } from '../../../src/domain/errors.ts';
import { images, patched, pngOf } from '../../support/images.ts';

const otherFormat =
  'logo must be a PNG, JPEG or WebP image; SVG is not accepted, because it can contain scripts.';

test('PNG, JPEG and every kind of WebP are recognised with their size in pixels', () => {
  const found = Object.entries(images).map(([name, bytes]) => [name, findImage(bytes)]);
  const size = { width: 3, height: 2 };
  assert.deepEqual(Object.fromEntries(found), {
    png: { mediaType: 'image/png', ...size },
    jpeg: { mediaType: 'image/jpeg', ...size },
    webpLossy: { mediaType: 'image/webp', ...size },
    webpLossless: { mediaType: 'image/webp', ...size },
    webpExtended: { mediaType: 'image/webp', ...size },
  });
});

test('a logo is named by the digest of its bytes', () => {
  const digest = createHash('sha256').update(images.jpeg).digest('hex');
  assert.deepEqual(checkLogo(images.jpeg), { digest, mediaType: 'image/jpeg', byteCount: 286 });
});

test('other formats are refused, whatever they contain', () => {
  const texts = [
    '',
    '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>',
    '<?xml version="1.0"?><svg/>',
    '<!doctype html><script>alert(1)</script>',
    'GIF89a\x03\x00\x02\x00',
    'BM',
    'RIFF\x24\x00\x00\x00WAVEfmt ',
    '%PDF-1.7',
  ];
  for (const text of texts) assert.equal(refusalOf(Buffer.from(text, 'latin1')), otherFormat);
  // A container of another kind, whatever its chunks are called.
  assert.equal(refusalOf(patched(images.webpLossy, 8, ...Buffer.from('WAVE'))), otherFormat);
  // A picture further on does not make the file one.
  const page = Buffer.concat([Buffer.from('<script>alert(1)</script>'), images.png]);
  assert.equal(refusalOf(page), otherFormat);
});

test('a logo may have 64 KiB and not a byte more', () => {
  assert.equal(checkLogo(pngOf(65_536)).byteCount, 65_536);
  const tooLarge = 'logo must have at most 64 KiB: make the image smaller.';
  assert.equal(refusalOf(pngOf(65_537)), tooLarge);
});

test('a logo may have 1 to 4096 pixels on each side', () => {
  const png = (width: number, height: number) =>
    patched(images.png, 16, 0, 0, width >> 8, width & 255, 0, 0, height >> 8, height & 255);
  for (const [width, height] of [
    [1, 1],
    [4_096, 1],
    [1, 4_096],
  ] as const) {
    checkLogo(png(width, height));
  }
  for (const [width, height] of [
    [0, 1],
    [1, 0],
    [4_097, 1],
    [1, 4_097],
  ] as const) {
    const pixels = `logo has ${width} x ${height} pixels: each side must have 1 to 4096.`;
    assert.equal(refusalOf(png(width, height)), pixels);
  }
  const start = images.jpeg.indexOf(Buffer.from([0xff, 0xc0]));
  assert.match(refusalOf(patched(images.jpeg, start + 5, 0x20, 0)), /^logo has 3 x 8192 pixels/);
  const lossy = patched(images.webpLossy, 26, 0, 0x20);
  assert.match(refusalOf(lossy), /^logo has 8192 x 2 pixels/);
  const lossless = patched(images.webpLossless, 21, 0xff, 0xff, 0xff, 0x0f);
  assert.match(refusalOf(lossless), /^logo has 16384 x 16384 pixels/);
  const extended = patched(images.webpExtended, 27, 0xff, 0xff, 0xff);
  assert.match(refusalOf(extended), /^logo has 3 x 16777216 pixels/);
});

test('a header that is cut off anywhere is refused', () => {
  const headerBytes = { png: 24, jpeg: 166, webpLossy: 30, webpLossless: 30, webpExtended: 30 };
  for (const [name, end] of Object.entries(headerBytes)) {
    const image = images[name as keyof typeof images];
    for (let length = 0; length < end; length += 1) {
      assert.equal(refusalOf(image.subarray(0, length)), otherFormat, `${name} ${length}`);
    }
    checkLogo(image.subarray(0, end + 1));
  }
});

test('a JPEG with fill bytes, comments and tables before its frame is recognised', () => {
  const comment = [0xff, 0xff, 0xff, 0xfe, 0, 4, 0x41, 0x42];
  const tables = [0xc4, 0xc8, 0xcc].flatMap((marker) => [0xff, marker, 0, 7, 1, 1, 1, 1, 1]);
  const more = Buffer.from([...comment, ...tables]);
  const image = Buffer.concat([images.jpeg.subarray(0, 2), more, images.jpeg.subarray(2)]);
  assert.deepEqual(findImage(image), { mediaType: 'image/jpeg', width: 3, height: 2 });
});

test('a JPEG without a frame is refused', () => {
  const scan = Buffer.from([0xff, 0xd8, 0xff, 0xda, 0, 2, 0, 0, 0, 0, 0, 0, 0]);
  assert.equal(refusalOf(scan), otherFormat);
  const endless = Buffer.alloc(65_536, 0xff);
  endless[1] = 0xd8;
  assert.equal(refusalOf(endless), otherFormat);
});

test('damaged images are accepted with a plausible size or refused, and never anything else', () => {
  const image = fc.constantFrom(...Object.values(images));
  const damage = fc.array(fc.tuple(fc.nat(300), fc.nat(255)), { minLength: 1, maxLength: 8 });
  fc.assert(
    fc.property(image, damage, fc.nat(300), (whole, changes, end) => {
      const bytes = Buffer.from(whole.subarray(0, end));
      for (const [offset, value] of changes) if (offset < bytes.length) bytes[offset] = value;
      try {
        checkLogo(bytes);
        const { width = 0, height = 0 } = findImage(bytes) ?? {};
        for (const side of [width, height]) assert.ok(side >= 1 && side <= 4_096);
      } catch (error) {
        assert.ok(error instanceof ServiceError, String(error));
      }
    }),
    { numRuns: 2_000 },
  );
});

function refusalOf(bytes: Buffer): string {
  try {
    checkLogo(bytes);
  } catch (error) {
    assert.ok(error instanceof ServiceError, String(error));
    return error.merchantMessage;
  }
  throw new Error('it is accepted');
}
