/** Load on one service of this machine over connections that stay open, each with one request at a time. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

type Load = {
  readonly port: number;
  readonly connections: number;
  readonly seconds: number;
  /** The bytes of the next request. */
  readonly next: () => string;
  /** After one on each connection, sent at this rate whatever comes back; without it each is sent when the one before is answered. */
  readonly perSecond?: number;
};

export type Answered = {
  /** How many came back with each status. */
  readonly statuses: ReadonlyMap<number, number>;
  /** Answers 429 and 503 that do not say when to come again. */
  readonly withoutRetryAfter: number;
  /** Requests without an answer long after the last one was sent, and connections that broke. */
  readonly lost: number;
};

/** A queued request may wait for ten seconds, and longer on a busy machine. */
const answerMsMax = 30_000;
const stepMs = 10;

export async function runLoad(load: Load): Promise<Answered> {
  const sockets = await connectMany(load.port, load.connections);
  const statuses = new Map<number, number>();
  let withoutRetryAfter = 0;
  let broken = 0;
  let open = 0;
  let isOver = false;
  const idle: Socket[] = [];
  const send = (socket: Socket) => {
    open += 1;
    socket.write(load.next());
  };
  for (const socket of sockets) {
    readAnswers(socket, (status, head) => {
      open -= 1;
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      if ((status === 429 || status === 503) && !/^retry-after: \d+\r?$/im.test(head)) {
        withoutRetryAfter += 1;
      }
      if (load.perSecond === undefined && !isOver) send(socket);
      else idle.push(socket);
    });
    socket.on('close', () => {
      if (!isOver) broken += 1;
    });
  }
  const startMs = performance.now();
  const seconds = () => (performance.now() - startMs) / 1_000;
  sockets.forEach(send);
  if (load.perSecond === undefined) {
    await delay(load.seconds * 1_000);
  } else {
    for (let sent = 0; seconds() < load.seconds; await delay(stepMs)) {
      for (; sent < seconds() * load.perSecond; sent += 1) {
        const socket = idle.shift();
        if (!socket) break;
        send(socket);
      }
      // What found no connection is not made up for later.
      sent = seconds() * load.perSecond;
    }
  }
  isOver = true;
  const deadline = performance.now() + answerMsMax;
  while (open > 0 && performance.now() < deadline) await delay(stepMs);
  for (const socket of sockets) socket.resetAndDestroy();
  return { statuses, withoutRetryAfter, lost: open + broken };
}

/** A few at a time: a flood of connections is another test. */
export async function connectMany(port: number, count: number): Promise<Socket[]> {
  const sockets: Socket[] = [];
  while (sockets.length < count) {
    const some = Array.from({ length: Math.min(100, count - sockets.length) }, () => {
      const socket = connect(port, '127.0.0.1').setNoDelay(true);
      socket.on('error', () => {});
      return socket;
    });
    await Promise.all(some.map((socket) => once(socket, 'connect')));
    sockets.push(...some);
  }
  return sockets;
}

function readAnswers(socket: Socket, onAnswer: (status: number, head: string) => void): void {
  let text = '';
  socket.setEncoding('latin1').on('data', (chunk: string) => {
    text += chunk;
    const headLength = text.indexOf('\r\n\r\n') + 4;
    if (headLength < 4) return;
    const head = text.slice(0, headLength);
    const bodyLength = Number(/^content-length: (\d+)/im.exec(head)?.[1] ?? 0);
    if (text.length < headLength + bodyLength) return;
    text = '';
    onAnswer(Number(head.slice('HTTP/1.1 '.length, 12)), head);
  });
}
