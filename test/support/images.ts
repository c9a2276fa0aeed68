/** Real images of 3 x 2 pixels in every format that a logo may have, and a large one. */

const of = (base64: string) => Buffer.from(base64, 'base64');

export const images = {
  png: of(
    'iVBORw0KGgoAAAANSUhEUgAAAAMAAAACCAYAAACddGYaAAAAEklEQVR4AWLiqvn/H4aZGJAAAAAA///3SRnbAAAABklEQVQDAI5/B5EsALAeAAAAAElFTkSuQmCC',
  ),
  jpeg: of(
    '/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAFA3PEY8MlBGQUZaVVBfeMiCeG5uePWvuZHI////////////////////////////////////////////////////2wBDAVVaWnhpeOuCguv/////////////////////////////////////////////////////////////////////////wAARCAACAAMDASIAAhEBAxEB/8QAFQABAQAAAAAAAAAAAAAAAAAAAAL/xAAUEAEAAAAAAAAAAAAAAAAAAAAA/8QAFQEBAQAAAAAAAAAAAAAAAAAAAwT/xAAUEQEAAAAAAAAAAAAAAAAAAAAA/9oADAMBAAIRAxEAPwCQFAX/2Q==',
  ),
  webpLossy: of(
    'UklGRjYAAABXRUJQVlA4ICoAAACQAQCdASoDAAIABABoJaACdLoAA5gA/t4Sf/G8eBXkuyv/9izlsDJ0AAA=',
  ),
  webpLossless: of('UklGRh4AAABXRUJQVlA4TBEAAAAvAkAAAAdQvir0v/+BiOh/AAA='),
  webpExtended: of(
    'UklGRkgAAABXRUJQVlA4WAoAAAAAAAAAAgAAAQAAVlA4ICoAAACQAQCdASoDAAIABABoJaACdLoAA5gA/t4Sf/G8eBXkuyv/9izlsDJ0AAA=',
  ),
};

/** A PNG of this many bytes. What follows the end of an image is ignored. */
export function pngOf(byteCount: number): Buffer {
  return Buffer.concat([images.png, Buffer.alloc(byteCount - images.png.length)]);
}

/** The image with other numbers in its header. */
export function patched(image: Buffer, offset: number, ...bytes: readonly number[]): Buffer {
  const copy = Buffer.from(image);
  Buffer.from(bytes).copy(copy, offset);
  return copy;
}
