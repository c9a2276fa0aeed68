/** Disputes that an earlier version left to a person become disputes. Contract 17 and 9.10. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commandLine } from '../../../src/domain/audit.ts';
import { rebuildAll } from '../../../src/use-cases/upkeep/rebuild-order.ts';
import { verifyInvariants } from '../../../src/use-cases/upkeep/verify-invariants.ts';
import { gatewayBody } from '../../support/deliveries.ts';
import { assertInvariants } from '../webhooks/shop.ts';
import { disputeEvent, disputeRecord, openDisputeShop } from './dispute-shop.ts';

const shop = await openDisputeShop();
const { service, createPaid, disputesOf, sendGateway, sendPartner } = shop;

test('verify finds them, and "order rebuild --all" turns them into disputes', async () => {
  const { orderId, payment } = await createPaid();
  await sendGateway(gatewayBody({ order: { id: orderId } }));
  const replies = [
    await sendPartner(disputeEvent('created', disputeRecord(payment))),
    await sendGateway(
      gatewayBody({
        order: { id: orderId },
        transaction: { id: '9', type: 'CHARGEBACK', targetTransactionId: '1' },
      }),
    ),
  ];
  const expected = await shop.enquireOrder(orderId);
  await asBefore(orderId, ['dispute', 'chargeback']);
  assert.deepEqual(await disputesOf(orderId), []);

  const { breaches } = await verifyInvariants(service.services);
  assert.deepEqual(
    breaches.map(({ where, what }) => [where, what]),
    [[orderId, 'its deliveries fold to other disputes: run "order rebuild --all"']],
  );
  await rebuildAll(service.services, commandLine);
  assert.deepEqual(await shop.enquireOrder(orderId), expected);
  for (const reply of replies) {
    assert.equal((await shop.findDelivery(reply))?.state, 'processed');
  }
  await assertInvariants(shop);
});

/** What the release before stored: the deliveries wait for a person, and the order knows nothing of them. */
async function asBefore(orderId: string, flags: readonly string[]): Promise<void> {
  const query = (text: string, values: unknown[]) => service.database.query({ text, values });
  await query(
    `update deliveries set state = 'needs_review', flags = array[case provider when 'partner' then $2 else $3 end]
      where order_id = $1 and (convert_from(body, 'UTF8') like '%disp_%'
            or convert_from(body, 'UTF8') like '%CHARGEBACK%')`,
    [orderId, ...flags],
  );
  await query('update orders set dispute_notices = null where order_id = $1', [orderId]);
  await query(
    "update transactions set fields = fields - 'disputes'  where order_id = $1 and type = 'payment'",
    [orderId],
  );
  await query('delete from disputes where order_id = $1', [orderId]);
  await query("delete from history where order_id = $1 and entries::text like '%disputes%'", [
    orderId,
  ]);
  await query(
    `with removed as (delete from events where order_id = $1
                        and convert_from(body, 'UTF8') like '%"event_type":"dispute%' returning 1)
     update orders set event_sequence = event_sequence - (select count(*) from removed) where order_id = $1`,
    [orderId],
  );
}
