/** The attacks. Each loads one service of this machine until its process ends. */
import { connect, createServer } from 'node:net';
import { runLoad } from '../../harness/raw-load.ts';

export type Target = {
  readonly url: string;
  /** Of a session of an owner. */
  readonly cookie: string;
  readonly orderId: string;
  readonly endpointId: string;
  readonly receiverPort: number;
  /** Paths of files that anybody can get. */
  readonly files: readonly string[];
};

export const attackLoads = {
  'replies that are not read': '405 connections, files requested and never read',
  'tests of an endpoint': '450 at a time, the receiver never answers',
  'why of a large order': '80 at a time, 2,500 deliveries',
  'endless 1xx responses': 'of a receiver, to every event',
} as const;

export type AttackName = keyof typeof attackLoads;

export const attacks: Readonly<Record<AttackName, (target: Target) => unknown>> = {
  'replies that are not read': ({ url, files }) => {
    const { hostname, port } = new URL(url);
    // More than the buffers of the system for one connection.
    const requests = files
      .map((path) => `GET ${path} HTTP/1.1\r\nHost: ${hostname}\r\n\r\n`)
      .join('')
      .repeat(8);
    const open = () => {
      const socket = connect(Number(port), hostname, () => socket.write(requests));
      socket.on('error', () => {});
      socket.pause();
    };
    for (let count = 0; count < 405; count += 1) open();
  },
  'tests of an endpoint': (target) => {
    // It accepts the connection and says nothing.
    createServer(() => {}).listen(target.receiverPort, '127.0.0.1');
    repeat(target, 450, `POST /dashboard/api/endpoints/${target.endpointId}/test`);
  },
  'why of a large order': (target) => {
    repeat(target, 80, `GET /dashboard/api/orders/${target.orderId}/why`);
  },
  'endless 1xx responses': ({ receiverPort }) => {
    createServer((socket) => {
      socket.setNoDelay(true).on('error', () => {});
      const send = () => {
        if (socket.destroyed) return;
        socket.write('HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n');
        setImmediate(send);
      };
      socket.once('data', send);
      socket.resume();
    }).listen(receiverPort, '127.0.0.1');
  },
};

/** Each connection sends its next request as soon as the last one is answered. */
function repeat({ url, cookie }: Target, connections: number, line: string): void {
  const { host, port, origin } = new URL(url);
  const head = `${line} HTTP/1.1\r\nHost: ${host}\r\nOrigin: ${origin}\r\nCookie: ${cookie}\r\n`;
  const request = line.startsWith('POST') ? `${head}Content-Length: 0\r\n\r\n` : `${head}\r\n`;
  runLoad({ port: Number(port), connections, seconds: 3_600, next: () => request });
}
