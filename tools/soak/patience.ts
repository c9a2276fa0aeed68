/** Retries calls without a reply, with the same content, as merchants should. */
import { setTimeout as delay } from 'node:timers/promises';
import { type Client, ServiceCallError } from '../../client/client.js';

/** A slow machine may need many kills until it answers in time. */
const patienceMs = 5 * 60_000;
const pauseMs = 40;

/** Retries a call that got no reply, a 5xx or a 429; any other error is final. */
export async function untilAnswered<Result>(call: () => Promise<Result>): Promise<Result> {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    try {
      return await call();
    } catch (error) {
      if (isRefusal(error) || performance.now() > deadline) throw error;
      await delay(pauseMs);
    }
  }
}

function isRefusal(error: unknown): boolean {
  return error instanceof ServiceCallError && error.status < 500 && error.status !== 429;
}

/** A client that retries every call that is used here. */
export function patientClient(client: Client): Client {
  return {
    ...client,
    createOrder: (order) => untilAnswered(() => client.createOrder(order)),
    transactionEnquiry: (ids) => untilAnswered(() => client.transactionEnquiry(ids)),
    initiatePayment: (wish) => untilAnswered(() => client.initiatePayment(wish)),
    refund: (wish) => untilAnswered(() => client.refund(wish)),
  };
}
