/** Endpoints of shops for the benchmarks: they accept, refuse or hang. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { runJsonCommand } from '../harness/command-line.ts';
import { startLocalServer } from '../harness/local-server.ts';
import type { Shop } from './shop.ts';

type Heard = { readonly orderId: string; readonly type: string; readonly atMs: number };

export type ShopEndpoint = {
  readonly url: string;
  readonly heard: Heard[];
  readonly close: () => Promise<void>;
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
  const answerEvent = async (request: IncomingMessage, reply: ServerResponse) => {
    const event = JSON.parse(Buffer.concat(await request.toArray()).toString('utf8'));
    heard.push({
      orderId: event.svc_order_id,
      type: event.event_type,
      atMs: performance.now(),
    });
    answers[answer](reply);
  };
  const { url, close } = await startLocalServer(answerEvent, { port });
  return { url: `${url}/`, heard, close };
}

export async function addEndpoint({ accountId, dataDir }: Shop, url: string): Promise<string> {
  const words = ['endpoint', 'create', accountId, '--url', url];
  const { endpoint_id } = await runJsonCommand(words, { DATA_DIR: dataDir });
  return String(endpoint_id);
}
