/** Polls an order or transaction until it is as expected. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Client, Enquiry } from '../../client/client.js';

const pollMs = 150;

export async function until(
  { client, patienceMs }: { readonly client: Client; readonly patienceMs: number },
  ids: { order_id?: string; transaction_id?: string },
  isSo: (enquiry: Enquiry) => boolean,
): Promise<Enquiry> {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    const enquiry = await client.transactionEnquiry(ids);
    if (isSo(enquiry)) return enquiry;
    if (performance.now() > deadline) throw new Error(`stuck: ${JSON.stringify(enquiry)}`);
    await delay(pollMs);
  }
}
