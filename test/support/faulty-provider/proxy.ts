/** A port in front of the provider that can be closed, so that connections are refused. */
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

export type ClosableProxy = Awaited<ReturnType<typeof openProxy>>;

export async function openProxy(target: string) {
  const sockets = new Set<Socket>();
  const { port: targetPort } = new URL(target);
  const server = createServer((client) => {
    const provider = connect(Number(targetPort), '127.0.0.1');
    for (const [socket, other] of [
      [client, provider],
      [provider, client],
    ] as const) {
      sockets.add(socket);
      socket.pipe(other);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
    }
  });
  const listen = async (port: number) => {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
  };
  await listen(0);
  const { port } = server.address() as { port: number };
  return {
    url: `http://127.0.0.1:${port}`,
    open: async () => {
      if (!server.listening) await listen(port);
    },
    /** Cuts the connections. From now on, calls certainly do not reach the provider. */
    close: async () => {
      if (!server.listening) return;
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
