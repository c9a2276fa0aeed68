/** Real events, as a shop receives them over HTTP: one of each type, and one of a shop with encrypted payloads. */
import { commandLine } from '../../src/domain/audit.ts';
import { createEventDeliveries } from '../../src/use-cases/events/deliver-events.ts';
import { testEndpoint } from '../../src/use-cases/events/test-endpoint.ts';
import { disputeEvent, disputeRecord } from '../api/disputes/dispute-shop.ts';
import { type Shop, shopOf } from '../api/webhooks/shop.ts';
import { listBodies } from '../support/announced.ts';
import { partnerEvent, partnerPayment, partnerRefund } from '../support/deliveries.ts';
import { addEndpoint, startShopEndpoint } from '../support/shop-endpoint.ts';
import type { Reply } from '../support/test-service.ts';
import { anyAccount, cartOf, type Stage } from './record-merchant.ts';

type Body = Reply['body'];

/** Returns the encrypted one. */
export async function recordEvents(stage: Stage): Promise<unknown> {
  const { service, openShop } = stage.journey;
  const { services } = service;
  const account = await openShop();
  const shop = shopOf(service, account);
  const receiver = await startShopEndpoint();
  const open = (accountId: string) => addEndpoint(service, accountId, receiver.url);
  const endpoints = [await open(account.accountId), await open(stage.plainShop.accountId)];
  await changeOrders(shop);
  const stored = await listBodies(service.database, account);
  const deliveries = createEventDeliveries(services);
  await deliveries.startDue();
  for (const { endpointId } of endpoints) await testEndpoint(services, endpointId, commandLine);
  await receiver.waitFor(stored.length + endpoints.length);
  await deliveries.stop();

  const bodies = receiver.received.map(({ body }) => body).sort(byInvoiceAndSequence);
  const byType = Object.groupBy(bodies, ({ event_type }): string => event_type ?? 'encrypted');
  const { encrypted = [], ...plain } = byType;
  const record = stage.recorder('events');
  for (const [type, [body] = []] of Object.entries(plain)) record.request(type, body.message, body);
  return encrypted[0];
}

async function changeOrders(shop: Shop): Promise<void> {
  const pay = async (invoice: string, event: string, changes: object = {}) => {
    const { order_id } = await shop.createOrder(cartOf(invoice, anyAccount));
    const payment = partnerPayment({ notes: { svc_order_id: order_id }, ...changes });
    await shop.sendPartner(partnerEvent(`payment.${event}`, { payment }));
    return payment;
  };
  const refunded = await pay('INV-2026-0100', 'failed', { status: 'failed', captured: false });
  for (const status of ['authorized', 'captured']) {
    const payment = { ...refunded, status, captured: status === 'captured' };
    await shop.sendPartner(partnerEvent(`payment.${status}`, { payment }));
  }
  const refund = partnerRefund(refunded, { status: 'pending' });
  await shop.sendPartner(partnerEvent('refund.created', { refund }));
  const processed = { ...refund, status: 'processed' };
  await shop.sendPartner(partnerEvent('refund.processed', { refund: processed }));

  for (const [invoice, result] of [
    ['INV-2026-0102', 'lost'],
    ['INV-2026-0103', 'won'],
    ['INV-2026-0104', 'closed'],
  ] as const) {
    const dispute = disputeRecord(await pay(invoice, 'captured'));
    await shop.sendPartner(disputeEvent('created', dispute));
    const amount_deducted = result === 'lost' ? 11800 : 0;
    const ended = { ...dispute, status: result, amount_deducted };
    await shop.sendPartner(
      disputeEvent('under_review', { ...dispute, status: 'under_review' }, 60),
    );
    await shop.sendPartner(disputeEvent(result, ended, 120));
  }

  const failed = await pay('INV-2026-0106', 'captured');
  const failedRefund = partnerRefund(failed, { status: 'failed' });
  await shop.sendPartner(partnerEvent('refund.failed', { refund: failedRefund }));
  const released = { status: 'refunded', captured: false, refund_status: 'full' };
  await pay('INV-2026-0105', 'authorized', released);
  await pay('INV-2026-0101', 'captured', { amount: 10000 });
  const token = await shop.freshToken();
  const call = (path: string, body: object) => shop.service.call(path, { token, body });
  const invoice_id = 'INV-2026-0107';
  await call('/api/v3/payment-link', cartOf(invoice_id, anyAccount));
  await call('/api/v3/payment-link/actions', { action: 'cancel', invoice_id });
}

/** Tests belong to no order. */
function byInvoiceAndSequence(one: Body, other: Body): number {
  const keyOf = ({ order, sequence }: Body) => `${order?.invoice_id} ${sequence}`;
  return keyOf(one).localeCompare(keyOf(other));
}
