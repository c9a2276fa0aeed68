/** Helpers of the tests of disputes: a paid order, and what the providers report about disputes of its payment. */
import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { after } from 'node:test';
import { startLocalServer } from '../../../tools/harness/local-server.ts';
import { partnerEvent, partnerId, partnerPayment } from '../../support/deliveries.ts';
import { assertDescribed } from '../../support/described-events.ts';
import { addEndpoint } from '../../support/shop-endpoint.ts';
import { answerWith } from '../../support/stub-gateway.ts';
import type { Reply } from '../../support/test-service.ts';
import { openShop } from '../webhooks/shop.ts';

type Fields = Record<string, unknown>;

/** The time of the first event of each dispute, in Unix seconds. */
export const openedAt = 1794800000;

/** A shop whose partner answers to calls as `answer` says, and which wants every event. */
export async function openDisputeShop(
  answer: (path: string, response: ServerResponse) => void = (_path, response) =>
    answerWith(response, 404, {}),
) {
  const { url, close } = await startLocalServer((request, response) => {
    request.resume();
    answer(request.url ?? '', response);
  });
  after(close);
  const shop = await openShop({
    providerApis: { partner: { url, login: 'rzp_test_1' } },
    apiSecrets: { 'partner-key-secret': 'partner_key_secret' },
  });
  const { service, account } = shop;
  await addEndpoint(service, account.accountId, 'http://127.0.0.1:9/never-sent-here');

  const createPaid = async (changes: Fields = {}) => {
    const order = await shop.createOrder();
    const payment = partnerPayment({ notes: { svc_order_id: order.order_id }, ...changes });
    await shop.sendPartner(partnerEvent('payment.captured', { payment }));
    const [{ svc_transaction_id: transactionId }] = (await enquire(order.order_id)).transaction;
    return { orderId: order.order_id, payment, transactionId: transactionId as string };
  };
  const enquire = async (orderId: string): Promise<Reply['body']> =>
    (await shop.enquire({ order_id: orderId })).body;
  return {
    ...shop,
    createPaid,
    enquireOrder: enquire,
    disputesOf: async (orderId: string) => (await enquire(orderId)).transaction[0].disputes,
    availableOf: async (orderId: string): Promise<number> =>
      (await enquire(orderId)).order.refund_details.available_refundable_amount,
    refund: async (body: Fields): Promise<Reply> =>
      service.call('/api/v3/refund', { token: await shop.freshToken(), body }),
    /** The events of an order, by their numbers. */
    listEvents: async (orderId: string) => {
      const { rows } = await service.database.query<{ body: Buffer }>({
        text: 'select body from events where account_id = $1 and order_id = $2 order by sequence',
        values: [account.accountId, orderId],
      });
      const events = rows.map(({ body }): Reply['body'] => JSON.parse(body.toString('utf8')));
      for (const event of events) assertDescribed(event);
      return events;
    },
    flagsOf: async (transactionId: string): Promise<string[]> => {
      const { rows } = await service.database.query<{ flags: string[] }>({
        text: 'select flags from transactions where account_id = $1 and transaction_id = $2',
        values: [account.accountId, transactionId],
      });
      return rows[0]?.flags ?? assert.fail(`there is no transaction ${transactionId}`);
    },
  };
}

export const newDisputeId = () => `disp_${partnerId('pay').slice(4)}`;

/** The partner's record of a dispute. */
export function disputeRecord(payment: Fields, changes: Fields = {}): Fields {
  return {
    id: newDisputeId(),
    entity: 'dispute',
    payment_id: payment.id,
    amount: 11800,
    currency: 'INR',
    amount_deducted: 0,
    reason_code: 'goods_not_received',
    reason_description: 'The goods did not arrive.',
    respond_by: openedAt + 600_000,
    status: 'open',
    phase: 'chargeback',
    created_at: openedAt,
    ...changes,
  };
}

/** An event about a dispute, so many seconds after the first. */
export function disputeEvent(
  event: string,
  dispute: Fields,
  seconds = 0,
  records: Record<string, Fields> = {},
): Fields {
  const at = { created_at: openedAt + seconds };
  return partnerEvent(`payment.dispute.${event}`, { ...records, dispute }, at);
}
