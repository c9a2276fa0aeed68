/**
 * A TCP relay that stands for the network of one node. While it is cut, it forwards nothing and closes nothing, as a
 * network that loses every packet does: neither side learns that the other one is gone.
 */
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { findFreePort } from '../../harness/free-port.ts';

export type Relay = Awaited<ReturnType<typeof startRelay>>;

export async function startRelay(toPort: number) {
  const sockets = new Set<Socket>();
  let isCut = false;
  const add = (socket: Socket, other: Socket) => {
    sockets.add(socket);
    if (isCut) socket.pause();
    socket.on('data', (chunk) => other.write(chunk));
    socket.on('end', () => other.end());
    socket.on('error', () => {});
    socket.on('close', () => {
      sockets.delete(socket);
      other.destroy();
    });
  };
  const port = await findFreePort();
  const server = createServer({ allowHalfOpen: true }, (client) => {
    const target = connect({ port: toPort, host: '127.0.0.1', allowHalfOpen: true });
    add(client, target);
    add(target, client);
  }).listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    port,
    cut: () => {
      isCut = true;
      for (const socket of sockets) socket.pause();
    },
    /** Held bytes are delivered, as a network does that repeats lost packets. */
    mend: () => {
      isCut = false;
      for (const socket of sockets) socket.resume();
    },
    close: async () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
