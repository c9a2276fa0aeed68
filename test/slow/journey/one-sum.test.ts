import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { commandLine } from '../../../src/domain/audit.ts';
import { exportOrders } from '../../../src/use-cases/orders/export-orders.ts';
import { getOverview } from '../../../src/use-cases/reports/get-overview.ts';
import { partnerEvent, partnerPayment, partnerRefund } from '../../support/deliveries.ts';
import { readCsv } from '../../support/read-csv.ts';
import { startScriptedGateway } from '../../support/scripted-gateway.ts';

const gateway = await startScriptedGateway();
const { service, shop, script, refund, poll, sumsOf } = gateway;
const { services } = service;

beforeEach(() => script(() => 'SUCCESS'));

test('enquiry, overview and CSV agree on a refund of which one part was made and another is open', async () => {
  const { orderId, transactionId } = await gateway.payByTwoCaptures();
  script((target) => (target === '2' ? 'SUCCESS' : 'PENDING'));
  await refund(transactionId, 118);
  assert.deepEqual(await sumsOf(orderId), [118, 60, 0]);
  await assertAgree();
});

test('they agree on a refund of which one part was declined', async () => {
  const { orderId, transactionId } = await gateway.payByTwoCaptures();
  script((target) => (target === '2' ? 'SUCCESS' : 'refuse'));
  await refund(transactionId, 100);
  assert.deepEqual(await sumsOf(orderId), [118, 60, 58]);
  await assertAgree();
});

test('they agree on a refund without a currency', async () => {
  const { order_id } = await shop.createOrder();
  const payment = partnerPayment({ notes: { svc_order_id: order_id } });
  await shop.sendPartner(partnerEvent('payment.captured', { payment }));
  const bare = partnerRefund(payment, { amount: 1_800, currency: undefined });
  await shop.sendPartner(partnerEvent('refund.processed', { refund: bare }));
  assert.deepEqual(await sumsOf(order_id), [118, 18, 100]);
  await assertAgree();
});

test('they agree after everything was polled, and verify compares figures with the transactions', async () => {
  for (let polls = 0; polls < 3; polls += 1) await poll(3_600);
  await assertAgree();
});

/** All orders of the account together: the sums of enquiries are those of the overview and of the export. */
async function assertAgree(): Promise<void> {
  const { accountId } = shop.account;
  const now = services.clock();
  const from = new Date(now.getTime() - 48 * 3_600_000);
  const to = new Date(now.getTime() + 3_600_000);
  const period = { from, to, bucket: 'hour', offsetMinutes: 0 } as const;
  const { totals } = await getOverview(services, accountId, period);
  let text = '';
  const all = { filter: {}, isMasked: false };
  for await (const part of await exportOrders(services, commandLine, accountId, all)) text += part;
  const [titles = [], ...rows] = readCsv(text);
  const sumOf = (title: string) => {
    const column = titles.indexOf(title);
    return rows.reduce((sum, row) => sum + Math.round(100 * Number(row[column])), 0);
  };
  const orderIds = rows.map(([orderId = '']) => orderId);
  const enquired = await Promise.all(orderIds.map(sumsOf));
  const enquiredSum = (index: number) =>
    enquired.reduce((sum, sums) => sum + Math.round(100 * (sums[index] ?? 0)), 0);
  const overviewSum = (sums: typeof totals.paid) => Number(sums[0]?.amount ?? 0n);
  assert.deepEqual(
    [overviewSum(totals.paid), sumOf('paid_amount')],
    [enquiredSum(0), enquiredSum(0)],
  );
  assert.deepEqual(
    [overviewSum(totals.refunded), sumOf('refunded_amount')],
    [enquiredSum(1), enquiredSum(1)],
  );
}
