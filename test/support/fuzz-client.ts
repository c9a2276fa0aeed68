/** A raw HTTP client that sends exactly the given bytes, also those that a client library would refuse. */
import { connect, type Socket } from 'node:net';

export type FuzzRequest = {
  readonly method: string;
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Buffer | undefined;
};

export type FuzzReply = {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly text: string;
};

/** Every reply must arrive within this time, however busy the machine is. */
const deadlineMs = 10_000;

/**
 * One connection, reopened when the service closes it. `send` resolves to undefined if it was closed without a reply.
 */
export type FuzzConnection = {
  readonly send: (request: FuzzRequest) => Promise<FuzzReply | undefined>;
  readonly close: () => void;
};

export function openFuzzConnection(baseUrl: string): FuzzConnection {
  const { hostname, port } = new URL(baseUrl);
  let socket: Socket | undefined;
  return {
    close: () => socket?.destroy(),
    send: (request) =>
      new Promise((resolve, reject) => {
        if (!socket || socket.destroyed || !socket.writable) {
          socket = connect({ port: Number(port), host: hostname, noDelay: true });
        }
        const own = socket;
        let received: Buffer = Buffer.alloc(0);
        const finish = (settle: () => void) => {
          clearTimeout(timer);
          own.removeAllListeners();
          own.on('error', () => own.destroy());
          settle();
        };
        const timer = setTimeout(() => {
          own.destroy();
          finish(() => reject(new Error(`no reply within ${deadlineMs} ms`)));
        }, deadlineMs);
        own.on('data', (chunk: Buffer) => {
          received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
          const reply = readReply(received, request.method);
          if (!reply) return;
          if (reply.headers.get('connection') === 'close') own.destroy();
          finish(() => resolve(reply));
        });
        own.on('close', () => finish(() => resolve(undefined)));
        own.on('error', () => own.destroy());
        own.write(writeRequest(request));
      }),
  };
}

export function writeRequest({ method, target, headers, body }: FuzzRequest): Buffer {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const length = body === undefined ? '' : `content-length: ${body.length}\r\n`;
  const head = `${method} ${target} HTTP/1.1\r\nhost: service.test\r\n${lines.join('')}${length}\r\n`;
  return Buffer.concat([Buffer.from(head, 'latin1'), body ?? Buffer.alloc(0)]);
}

/** The first complete reply in the bytes. Every reply with a body has a content-length. */
export function readReply(bytes: Buffer, method = 'POST'): FuzzReply | undefined {
  const end = bytes.indexOf('\r\n\r\n');
  if (end === -1) return undefined;
  const [line = '', ...rest] = bytes.subarray(0, end).toString('latin1').split('\r\n');
  const headers = new Map(
    rest.map((header) => {
      const colon = header.indexOf(':');
      return [header.slice(0, colon).toLowerCase(), header.slice(colon + 1).trim()];
    }),
  );
  const isBodiless = method === 'HEAD' || / (?:204|304) /.test(line);
  const length = isBodiless ? 0 : Number(headers.get('content-length') ?? Number.NaN);
  if (Number.isNaN(length)) throw new Error(`a reply without a length: ${line}`);
  if (bytes.length < end + 4 + length) return undefined;
  return {
    status: Number(line.split(' ')[1]),
    headers,
    text: bytes.subarray(end + 4, end + 4 + length).toString('utf8'),
  };
}

/** Describes a request so that it can be sent again. */
export function describeRequest(request: FuzzRequest): string {
  const bytes = writeRequest(request);
  const shown =
    bytes.length > 6_000 ? `${bytes.toString('latin1', 0, 6_000)}…` : bytes.toString('latin1');
  return JSON.stringify(shown);
}
