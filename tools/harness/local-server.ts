/** An HTTP server in this process. Closing it cuts its connections; closing it twice changes nothing. */
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

export async function startLocalServer(
  answer: RequestListener,
  { port = 0, host = '127.0.0.1' } = {},
) {
  const server = createServer(answer).listen(port, host);
  await once(server, 'listening');
  const bound = (server.address() as AddressInfo).port;
  return {
    port: bound,
    url: `http://${host}:${bound}`,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
