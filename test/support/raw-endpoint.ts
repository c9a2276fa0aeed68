/** A server that answers events byte by byte as the test wants, over HTTP or TLS, and counts its connections. */
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { after } from 'node:test';
import { createServer as createTlsServer } from 'node:tls';
import { testCertificate, testKey } from './certificate.ts';

/** Called with each request, when its last byte has arrived. */
export type AnswerBytes = (socket: Socket, request: string) => void;

export type RawEndpoint = Awaited<ReturnType<typeof startRawEndpoint>>;

export async function startRawEndpoint(
  answer: AnswerBytes,
  { isSecure = false, host = '127.0.0.1', port = 0 } = {},
) {
  const sockets: Socket[] = [];
  const requests: string[] = [];
  const serve = (socket: Socket) => {
    sockets.push(socket);
    let text = '';
    socket.on('error', () => {});
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
      if (!isWhole(text)) return;
      requests.push(text);
      text = '';
      answer(socket, requests.at(-1) ?? '');
    });
  };
  const server = isSecure
    ? createTlsServer({ key: testKey, cert: testCertificate }, serve)
    : createServer(serve);
  server.on('tlsClientError', () => {});
  await new Promise<void>((resolve) => server.listen(port, host, resolve));
  const close = () => {
    for (const socket of sockets) socket.destroy();
    server.close();
  };
  after(close);
  const bound = (server.address() as AddressInfo).port;
  return {
    port: bound,
    url: `${isSecure ? 'https' : 'http'}://${host}:${bound}/events`,
    /** Of all connections so far. */
    sockets,
    /** As text, with their headers. */
    requests,
    close,
  };
}

/** The answer 200 with this body; the connection stays open. */
export function okOf(body: string): string {
  return `HTTP/1.1 200 OK\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

function isWhole(text: string): boolean {
  const end = text.indexOf('\r\n\r\n');
  const length = /^content-length: (\d+)\r$/im.exec(text)?.[1];
  return end >= 0 && text.length >= end + 4 + Number(length ?? 0);
}
