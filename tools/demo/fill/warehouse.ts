/** The warehouse receives events too. It answers as it should until its software breaks, and with an error from then on. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Clock } from '../../../src/domain/time.ts';

type Warehouse = { readonly url: string; readonly close: () => Promise<void> };

const broken = { status: 500, body: '{"error":"stock database: connection refused"}' };
const fine = { status: 200, body: '{"received":true}' };

export async function openWarehouse(clock: Clock, breaksAt: Date): Promise<Warehouse> {
  const server = createServer((request, response) => {
    request.resume();
    const { status, body } = clock() < breaksAt ? fine : broken;
    response.writeHead(status, { 'content-type': 'application/json' }).end(body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/payment-events`,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
