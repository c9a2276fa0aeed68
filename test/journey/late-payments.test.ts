/** A shop that has late payments refunded, at the simulator: the money gets back to the consumer, once. Contract 19.3. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { commandLine } from '../../src/domain/audit.ts';
import { en } from '../../src/http/checkout/words/en.ts';
import { updateAccount } from '../../src/use-cases/accounts/update-account.ts';
import { linkCalls } from '../api/payment-link/link-calls.ts';
import { openCheckout } from '../support/checkout.ts';
import { findCheckout, modeOf, type SimulatedProvider, startJourney } from '../support/journey.ts';

const journey = await startJourney();
const { service, simulator, shop, createOrder, initiate, enquire, heal, assertSound } = journey;
const { createLink, cancel, enquire: enquireLink } = linkCalls(journey);
const { accountId } = shop;
await updateAccount(service.services, accountId, () => ({ latePayments: 'refund' }), commandLine);
await service.services.accounts.readNow(accountId);

const refunded = ['lapsed', 'payment succeeded 118', 'full_refund succeeded 118'];

for (const provider of Object.keys(modeOf) as SimulatedProvider[]) {
  describe(provider, () => {
    test('gets the refund of a payment that succeeded after its order lapsed', async () => {
      const { orderId, checkout } = await startLate(provider);
      await simulator.pay(checkout);
      await simulator.settled();
      await heal();
      await simulator.settled();
      assert.deepEqual(await shownOf(orderId), refunded);
      assert.deepEqual(movesOf(orderId), ['captured 11800', 'processed 11800']);
    });

    test('gets it once, if every webhook is lost and polls find the payment', async () => {
      const { orderId, checkout } = await startLate(provider, 'lost-webhook');
      await simulator.pay(checkout);
      await simulator.settled();
      for (let hours = 0; hours < 30; hours += 1) {
        service.advanceSeconds(3_600);
        await heal();
      }
      assert.deepEqual(await shownOf(orderId), refunded);
      assert.deepEqual(movesOf(orderId), ['captured 11800', 'processed 11800']);
    });

    test('gets none for a payment in time, of which the webhook arrives late', async () => {
      const orderId = await createOrder();
      simulator.setScenarioFor(orderId, { name: 'lost-webhook' });
      const { body } = await initiate(orderId, modeOf[provider]);
      await simulator.pay(await findCheckout(body.next[0].url));
      await simulator.settled();
      service.advanceSeconds(25 * 3_600);
      for (let round = 0; round < 3; round += 1) await heal();
      assert.deepEqual(await shownOf(orderId), ['completed', 'payment succeeded 118']);
      assert.deepEqual(movesOf(orderId), ['captured 11800']);
    });

    test('gets the refund of a payment of a link that was cancelled meanwhile', async () => {
      const { invoice_id, order_id } = await createLink();
      const { body } = await initiate(order_id, modeOf[provider]);
      const checkout = await findCheckout(body.next[0].url);
      assert.equal((await cancel({ invoice_id })).body.status, 'cancelled');
      // The clock of the partner counts whole seconds.
      service.advanceSeconds(2);
      await simulator.pay(checkout);
      await simulator.settled();
      await heal();
      await simulator.settled();
      assert.deepEqual(await shownOf(order_id), refunded);
      const { body: link } = await enquireLink({ invoice_id });
      assert.deepEqual([link.status, link.payment_link_amount_paid], ['cancelled', 118]);
      assert.deepEqual(movesOf(order_id), ['captured 11800', 'processed 11800']);
    });
  });
}

test('the checkout page tells the consumer that the money goes back', async () => {
  const { orderId, checkout } = await startLate('partner');
  await simulator.pay(checkout);
  await simulator.settled();
  const { page } = await openCheckout(service, { accountId, orderId });
  assert.match(page.text, new RegExp(en.tooLate.heading));
  assert.doesNotMatch(page.text, new RegExp(en.checking.heading));
});

test('the invariants hold after all of this', assertSound);

/** A payment that was started in time, and an order that lapsed before the consumer pays. */
async function startLate(provider: SimulatedProvider, scenario?: 'lost-webhook') {
  const orderId = await createOrder();
  if (scenario) simulator.setScenarioFor(orderId, { name: scenario });
  const { body } = await initiate(orderId, modeOf[provider]);
  const checkout = await findCheckout(body.next[0].url);
  service.advanceSeconds(25 * 3_600);
  return { orderId, checkout };
}

async function shownOf(orderId: string): Promise<string[]> {
  const { order, transaction } = (await enquire({ order_id: orderId })).body;
  const shown = transaction.map(
    ({ transaction_type, payment_status, refund_status, transaction_amount }: Shown) =>
      transaction_type === 'payment'
        ? `payment ${payment_status} ${transaction_amount}`
        : `${transaction_type} ${refund_status} ${transaction_amount}`,
  );
  return [order.status, ...shown];
}

type Shown = Readonly<Record<string, unknown>>;

/** What the provider did for the order. */
function movesOf(orderId: string): string[] {
  const { payments, refunds } = simulator.ledger();
  return [...payments, ...refunds]
    .filter(({ reference }) => reference.startsWith(`${orderId}-`))
    .map(({ amount, status }) => `${status} ${amount}`);
}
