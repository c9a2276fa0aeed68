/** Endpoints of shops for the benchmarks: they accept, refuse or hang. */
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { runJsonCommand } from '../harness/command-line.ts';
import type { Shop } from './shop.ts';

type Heard = { readonly orderId: string; readonly type: string; readonly atMs: number };

export type ShopEndpoint = {
  readonly url: string;
  readonly heard: Heard[];
  readonly close: () => void;
};

const answers = {
  accept: (reply: ServerResponse) => reply.writeHead(204).end(),
  refuse: (reply: ServerResponse) => reply.writeHead(500).end(),
  hang: () => undefined,
};

export async function startShopEndpoint(
  answer: keyof typeof answers,
  port = 0,
): Promise<ShopEndpoint> {
  const heard: Heard[] = [];
  const server = createServer(async (request, reply) => {
    const event = JSON.parse(Buffer.concat(await request.toArray()).toString('utf8'));
    heard.push({
      orderId: event.svc_order_id,
      type: event.event_type,
      atMs: performance.now(),
    });
    answers[answer](reply);
  }).listen(port, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address() as { port: number };
  return {
    url: `http://127.0.0.1:${address.port}/`,
    heard,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

export async function addEndpoint({ accountId, dataDir }: Shop, url: string): Promise<string> {
  const words = ['endpoint', 'create', accountId, '--url', url];
  const { endpoint_id } = await runJsonCommand(words, { DATA_DIR: dataDir });
  return String(endpoint_id);
}
