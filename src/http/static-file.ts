/** A file that is compressed once, and served with an `ETag`: a browser that has it already gets 304. */
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';

export type StaticFile = {
  readonly type: string;
  readonly etag: string;
  readonly body: Buffer;
  readonly brotli: Buffer;
  readonly gzip: Buffer;
};

/** A file whose URL contains its digest never changes; every other one is revalidated. */
type Caching = 'revalidated' | 'immutable';

export async function createStaticFile(type: string, text: string | Buffer): Promise<StaticFile> {
  const body = Buffer.from(text);
  const [brotliBytes, gzipBytes] = await Promise.all([
    promisify(brotliCompress)(body, {
      // Higher levels take seconds for a few per cent.
      params: { [constants.BROTLI_PARAM_QUALITY]: 5 },
    }),
    promisify(gzip)(body),
  ]);
  const digest = createHash('sha256').update(body).digest('base64url').slice(0, 22);
  return { type, etag: digest, body, brotli: brotliBytes, gzip: gzipBytes };
}

/** Loads at the first call. A load that failed is repeated at the next. */
export function once<Loaded>(load: () => Promise<Loaded>): () => Promise<Loaded> {
  let loading: Promise<Loaded> | undefined;
  return () => {
    loading ??= load().catch((error: unknown) => {
      loading = undefined;
      throw error;
    });
    return loading;
  };
}

/** For a page that loads only what `sources` name, calls only this service and cannot be framed. */
export function pagePolicy(...sources: readonly string[]): string {
  const rest = ["connect-src 'self'", "base-uri 'none'", "form-action 'none'"];
  return ["default-src 'none'", ...sources, ...rest, "frame-ancestors 'none'"].join('; ');
}

export function sendStaticFile(
  request: FastifyRequest,
  reply: FastifyReply,
  file: StaticFile,
  caching: Caching = 'revalidated',
): FastifyReply {
  const encoding = chooseEncoding(request.headers['accept-encoding']);
  // Each encoding is a representation of its own, so each has a tag of its own.
  const etag = `"${file.etag}-${encoding}"`;
  reply
    .header('cache-control', caching === 'immutable' ? immutable : 'no-cache')
    .header('vary', 'accept-encoding')
    .header('etag', etag);
  if (isKnown(request.headers['if-none-match'], etag)) return reply.code(304).send();
  if (encoding !== 'identity') reply.header('content-encoding', encoding);
  const bytes = { br: file.brotli, gzip: file.gzip, identity: file.body };
  return reply.type(file.type).send(bytes[encoding]);
}

const immutable = 'public, max-age=31536000, immutable';

type Encoding = 'br' | 'gzip' | 'identity';

/** A weight of 0 excludes an encoding; other weights do not matter, because brotli is always smaller. */
function chooseEncoding(accepted: string | string[] | undefined): Encoding {
  const names = String(accepted ?? '')
    .toLowerCase()
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => !/;\s*q=0(\.0+)?$/.test(entry))
    .map((entry) => entry.replace(/;.*/, ''));
  if (names.includes('br')) return 'br';
  return names.includes('gzip') ? 'gzip' : 'identity';
}

function isKnown(header: string | undefined, etag: string): boolean {
  const tags = (header ?? '').split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  return tags.includes(etag) || tags.includes('*');
}
