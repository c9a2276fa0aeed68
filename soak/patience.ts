/** Callers who do what one should do when a reply does not come: ask again, with the same words. */
import { setTimeout as delay } from 'node:timers/promises';
import { type Client, ServiceCallError } from '../client/client.js';

const patienceMs = 60_000;
const pauseMs = 40;

/** Tries again what was not answered, or answered with a 5xx or 429; a refusal is final. */
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

/** The client with every call that is needed here made patient. */
export function patientClient(client: Client): Client {
  return {
    ...client,
    createOrder: (order) => untilAnswered(() => client.createOrder(order)),
    transactionEnquiry: (ids) => untilAnswered(() => client.transactionEnquiry(ids)),
    initiatePayment: (wish) => untilAnswered(() => client.initiatePayment(wish)),
    refund: (wish) => untilAnswered(() => client.refund(wish)),
  };
}
