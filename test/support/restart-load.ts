/** Load on services that are restarted meanwhile: clients that create an order, report its payment and enquire. */
import { setTimeout as delay } from 'node:timers/promises';
import { waitUntil } from '../../tools/harness/wait-until.ts';
import { partnerEvent, partnerPayment, signPartner } from './deliveries.ts';
import type { Outcome, PostCall } from './kept-connection.ts';
import { orderBody } from './order-bodies.ts';

export type RestartCall = Omit<PostCall, 'port'>;

type Load = {
  readonly merchant: {
    readonly accountId: string;
    readonly partnerWebhookSecret: string;
    readonly token: string;
  };
  readonly clientCount: number;
  /** Opens the connections of one client. */
  readonly openClient: (index: number) => (call: RestartCall) => Promise<Outcome>;
};

export function startRestartLoad({ merchant, clientCount, openClient }: Load) {
  const failures: unknown[] = [];
  let answered = 0;
  let isOver = false;
  const clients = Array.from({ length: clientCount }, async (_, index) => {
    const send = openClient(index);
    const succeed = async (call: RestartCall) => {
      const outcome = await send(call);
      if (outcome.kind === 'answered' && outcome.status === 200) {
        answered += 1;
        return outcome.body;
      }
      failures.push({ path: call.path, ...outcome });
      return undefined;
    };
    while (!isOver && failures.length === 0) {
      const created = await succeed(apiCall(merchant, 'create-order', orderBody()));
      if (created === undefined) return;
      const { order_id } = JSON.parse(created);
      await succeed(webhookCall(merchant, order_id));
      await succeed(apiCall(merchant, 'transaction-enquiry', { order_id }));
      // Connections are left idle for a moment, and other tests run on the same machine.
      await delay(50 * Math.random());
    }
  });
  return {
    /** Resolves after so many more answers, or after a failure. */
    goesOn: (count: number) => {
      const wanted = answered + count;
      return waitUntil('requests are answered', () => failures.length > 0 || answered >= wanted);
    },
    hasFailed: () => failures.length > 0,
    stop: async () => {
      isOver = true;
      await Promise.all(clients);
      return failures;
    },
  };
}

function apiCall({ token }: Load['merchant'], name: string, fields: unknown): RestartCall {
  const headers = { authorization: `Bearer ${token}` };
  return { path: `/api/v3/${name}`, headers, body: JSON.stringify(fields) };
}

function webhookCall(
  { accountId, partnerWebhookSecret }: Load['merchant'],
  orderId: string,
): RestartCall {
  const payment = partnerPayment({ notes: { svc_order_id: orderId } });
  const body = JSON.stringify(partnerEvent('payment.captured', { payment }));
  return {
    path: `/api/v3/webhooks/partner/${accountId}`,
    headers: {
      'x-razorpay-event-id': `evt_${orderId}`,
      'x-razorpay-signature': signPartner(body, partnerWebhookSecret),
    },
    body,
  };
}
