/**
 * A shop's receiver of events that fails at random: it refuses, drops the connection, or loses its own answer. It
 * remembers every event that it has accepted.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { verifyWebhook, type WebhookEvent } from '../../client/client.js';
import { startLocalServer } from '../harness/local-server.ts';

export type Receiver = Awaited<ReturnType<typeof startReceiver>>;

export type OrderEvent = Exclude<WebhookEvent, { event_type: 'test' }>;

/** The share of events whose first attempt fails in each of these ways. */
const failures = { refuse: 0.1, drop: 0.05, loseAnswer: 0.05 };

export async function startReceiver(port: number, random: () => number) {
  const accepted = new Map<string, { readonly text: string; readonly event: OrderEvent }>();
  const seen = new Set<string>();
  const troubles: string[] = [];
  let secret = '';

  const accept = async ({ headers }: IncomingMessage, text: string) => {
    const event = await verifyWebhook({ headers, body: text, secret });
    if (event.event_type === 'test') return;
    const known = accepted.get(event.event_id);
    if (known && known.text !== text) troubles.push(`${event.event_id} came with other bytes`);
    accepted.set(event.event_id, { text, event });
  };
  const answer = async (request: IncomingMessage, reply: ServerResponse) => {
    const text = Buffer.concat(await request.toArray()).toString('utf8');
    const id = String(request.headers['webhook-id']);
    // Only the first attempt fails, because the third one would come minutes later.
    const chance = seen.has(id) ? 1 : random();
    seen.add(id);
    if (secret === '' || chance < failures.refuse) {
      reply.writeHead(503, { 'retry-after': '1' }).end();
      return;
    }
    if (chance < failures.refuse + failures.drop) {
      reply.destroy();
      return;
    }
    await accept(request, text);
    if (chance < failures.refuse + failures.drop + failures.loseAnswer) reply.destroy();
    else reply.writeHead(204).end();
  };
  const { url, close } = await startLocalServer(
    (request, reply) => {
      answer(request, reply).catch((error: unknown) => {
        // The sender was killed in the middle of its request; anything else is a defect.
        if (!request.errored) troubles.push(`an event was not accepted: ${error}`);
        reply.destroy();
      });
    },
    { port },
  );
  return {
    url: `${url}/events`,
    /** Called once the endpoint exists. Events before that are refused. */
    setSecret: (value: string) => {
      secret = value;
    },
    /** Accepted events, each once. */
    events: () => [...accepted.values()].map(({ event }) => event),
    /** What contradicts an earlier copy. */
    troubles: () => troubles,
    close,
  };
}
