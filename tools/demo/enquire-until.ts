/** Polls an order or transaction until it is as expected. */
import type { Client, Enquiry } from '../../client/client.js';
import { pollUntil } from '../harness/wait-until.ts';

const pauseMs = 150;

export async function enquireUntil(
  { client, patienceMs }: { readonly client: Client; readonly patienceMs: number },
  ids: { order_id?: string; transaction_id?: string },
  isExpected: (enquiry: Enquiry) => boolean,
): Promise<Enquiry> {
  return pollUntil(() => client.transactionEnquiry(ids), isExpected, {
    secondsMax: patienceMs / 1000,
    pauseMs,
    explain: (enquiry) => `stuck: ${JSON.stringify(enquiry)}`,
  });
}
