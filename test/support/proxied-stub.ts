/** For tests of proxies: a stub in place of the service, and callers at any address of the loopback network. */
import { once } from 'node:events';
import { type IncomingHttpHeaders, request } from 'node:http';
import { request as requestTls } from 'node:https';
import { connect, type Socket } from 'node:net';
import { after } from 'node:test';
import { connect as connectTls } from 'node:tls';
import { startLocalServer } from '../../tools/harness/local-server.ts';

/** A public path whose reply fits into no buffer of the proxy, nor of the kernel. */
export const largePath = '/dashboard/large';
const large = Buffer.alloc(8 * 1024 * 1024, 'x');

/** Answers everything else with its address. */
export async function startStub(address: string, port: number) {
  const { close } = await startLocalServer(
    ({ url }, reply) => reply.end(url === largePath ? large : address),
    { host: address, port },
  );
  after(close);
  return { close };
}

export type Called = {
  readonly port: number;
  readonly path: string;
  /** The Host header; default: 127.0.0.1. */
  readonly host?: string;
  /** The name in the TLS handshake. Without it there is no TLS. */
  readonly servername?: string;
};

export type Answer = {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
};

/** Rejects if the connection is closed without an answer, and after thirty seconds. */
export async function callFrom(from: string, called: Called): Promise<Answer> {
  const { servername, host = '127.0.0.1', port, path } = called;
  const isTls = servername !== undefined;
  const call = (isTls ? requestTls : request)({
    host: '127.0.0.1',
    port,
    path,
    localAddress: from,
    agent: false,
    ...(isTls && { servername, rejectUnauthorized: false }),
    headers: { host, connection: 'close' },
    signal: AbortSignal.timeout(30_000),
  });
  call.end();
  const [reply] = await once(call, 'response');
  const chunks = await reply.toArray();
  return {
    status: reply.statusCode,
    headers: reply.headers,
    body: Buffer.concat(chunks).toString(),
  };
}

/** Callers that read only the beginning of their replies. Resolves when each has it, or was refused. */
export async function startSlowReaders(count: number, from: string, called: Called): Promise<void> {
  const sockets = Array.from({ length: count }, () => open(from, called));
  after(() => {
    for (const socket of sockets) socket.destroy();
  });
  await Promise.all(sockets.map((socket) => send(socket, called)));
}

function open(from: string, { port, servername }: Called): Socket {
  const socket = connect({ host: '127.0.0.1', port, localAddress: from });
  return servername === undefined
    ? socket
    : connectTls({ socket, servername, rejectUnauthorized: false });
}

async function send(socket: Socket, { path, host = 'any', servername }: Called): Promise<void> {
  // A proxy may close the connection at any time.
  socket.on('error', () => {});
  const ended = once(socket, 'close').catch(() => undefined);
  const ready = servername === undefined ? 'connect' : 'secureConnect';
  await Promise.race([once(socket, ready).catch(() => undefined), ended]);
  socket.write(`GET ${path} HTTP/1.1\r\nhost: ${host}\r\n\r\n`);
  await Promise.race([once(socket, 'data').catch(() => undefined), ended]);
  socket.pause();
}
