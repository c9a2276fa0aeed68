/** A collector of traces: a real HTTP server that reads OTLP in protobuf. */
import { after } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { startLocalServer } from '../../tools/harness/local-server.ts';

export type ReceivedSpan = {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentId: string;
  readonly name: string;
  readonly attributes: Readonly<Record<string, string | number>>;
  /** 2 is an error. */
  readonly status: number;
};

export async function startTraceReceiver() {
  const bodies: Buffer[] = [];
  const paths = new Set<string>();
  const { url, close } = await startLocalServer(async (request, reply) => {
    const sent = Buffer.concat(await request.toArray());
    paths.add(`${request.method} ${request.url}`);
    bodies.push(request.headers['content-encoding'] === 'gzip' ? gunzipSync(sent) : sent);
    reply.setHeader('content-type', 'application/x-protobuf').end();
  });
  after(close);
  const resourceSpans = () => bodies.flatMap((body) => childrenOf(body, 1));
  return {
    url,
    spans: () =>
      resourceSpans()
        .flatMap((one) => childrenOf(one, 2))
        .flatMap((scope) => childrenOf(scope, 2))
        .map(readSpan),
    resource: () =>
      readAttributes(
        resourceSpans().flatMap((one) => childrenOf(one, 1)),
        1,
      ),
    /** Everything received, to search it. */
    text: () => Buffer.concat(bodies).toString('latin1'),
    paths,
  };
}

function readSpan(bytes: Buffer): ReceivedSpan {
  const [status] = childrenOf(bytes, 15);
  const hex = (field: number) => childrenOf(bytes, field)[0]?.toString('hex') ?? '';
  return {
    traceId: hex(1),
    spanId: hex(2),
    parentId: hex(4),
    name: childrenOf(bytes, 5)[0]?.toString('utf8') ?? '',
    attributes: readAttributes([bytes], 9),
    status: status ? Number(numbersOf(status, 3)[0] ?? 0) : 0,
  };
}

function readAttributes(holders: readonly Buffer[], field: number) {
  const pairs = holders.flatMap((holder) => childrenOf(holder, field));
  return Object.fromEntries(
    pairs.map((pair) => {
      const [key = Buffer.of()] = childrenOf(pair, 1);
      const [value = Buffer.of()] = childrenOf(pair, 2);
      const [text] = childrenOf(value, 1);
      return [key.toString('utf8'), text?.toString('utf8') ?? Number(numbersOf(value, 3)[0])];
    }),
  );
}

type Field = { readonly number: number; readonly value: Buffer | bigint };

function childrenOf(message: Buffer, field: number): Buffer[] {
  return fieldsOf(message).flatMap(({ number, value }) =>
    number === field && Buffer.isBuffer(value) ? [value] : [],
  );
}

function numbersOf(message: Buffer, field: number): bigint[] {
  return fieldsOf(message).flatMap(({ number, value }) =>
    number === field && typeof value === 'bigint' ? [value] : [],
  );
}

/** Protobuf without a schema: each field has a number and one of four wire types. */
function fieldsOf(message: Buffer): Field[] {
  const fields: Field[] = [];
  let offset = 0;
  const readVarint = () => {
    let result = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = message.readUInt8(offset);
      offset += 1;
      result |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return result;
    }
  };
  const take = (length: number) => {
    offset += length;
    return message.subarray(offset - length, offset);
  };
  while (offset < message.length) {
    const key = Number(readVarint());
    const type = key & 7;
    const value =
      type === 0 ? readVarint() : take(type === 1 ? 8 : type === 5 ? 4 : Number(readVarint()));
    fields.push({ number: key >> 3, value });
  }
  return fields;
}
