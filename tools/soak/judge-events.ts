/** After the last kill: every change of every order must have reached the shop, in agreement with the enquiry. */
import type { Client } from '../../client/client.js';
import { runJsonCommand } from '../harness/command-line.ts';
import { listContradictions } from '../harness/compare-events.ts';
import type { Environment } from '../harness/project.ts';
import { pollUntil } from '../harness/wait-until.ts';
import type { OrderEvent, Receiver } from './receiver.ts';

const drainSecondsMax = 900;

export async function judgeEvents(
  { client, env }: { readonly client: Client; readonly env: Environment },
  receiver: Receiver,
  orderIds: readonly string[],
): Promise<string[]> {
  await waitUntilDrained(env);
  const byOrder = Map.groupBy(receiver.events(), ({ svc_order_id }) => svc_order_id);
  const wrongs: string[] = [...receiver.troubles()];
  for (const orderId of new Set(orderIds)) {
    const enquiry = await client.transactionEnquiry({ order_id: orderId });
    const events: readonly OrderEvent[] = byOrder.get(orderId) ?? [];
    const found = listContradictions(enquiry, events);
    wrongs.push(...found.map((wrong) => `events of ${orderId}: ${wrong}`));
  }
  return wrongs;
}

/** An attempt that a kill cut off is repeated when its claim ends. */
async function waitUntilDrained(env: Environment): Promise<void> {
  await pollUntil(
    async () => (await runJsonCommand(['event', 'list', '--state', 'pending'], env)).events,
    (events) => Array.isArray(events) && events.length === 0,
    {
      secondsMax: drainSecondsMax,
      pauseMs: 2_000,
      explain: (events) => `events are still pending: ${JSON.stringify(events).slice(0, 500)}`,
    },
  );
}
