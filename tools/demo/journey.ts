/** One order from creation to refund; prints each call, each reply and each event as it happens. */
import type { Enquiry } from '../../client/client.js';
import { payAtPage } from './consumer.ts';
import { openEventPrinter } from './events.ts';
import type { Stage } from './stage.ts';
import { dim, heading, money, readable } from './words.ts';

export async function walkJourney(stage: Stage): Promise<void> {
  const { client, simulator, cli, baseUrl } = stage;
  const events = openEventPrinter(simulator);
  const say = async <Answer>(call: string, body: object, answer: Promise<Answer>) => {
    console.log(`${heading(call)}\n    ${readable(body)}`);
    const answered = await answer;
    console.log(`  → ${readable(answered)}\n`);
    events.print();
    return answered;
  };

  console.log(`The service runs on ${baseUrl}, both providers on ${simulator.url}.\n`);
  await connectShop(stage);
  const invoice = 'INV-2001';
  const cart = {
    invoice_id: invoice,
    currency: 'INR',
    amount_before_tax: 1000,
    tax: 180,
    total_amount: 1180,
    user: { email: 'asha@example.com', first_name: 'Asha', mobile_number: '9876543210' },
    shipping_address: { address_1: '12 MG Road', city: 'Bengaluru', pincode: '560001' },
    order_line_items: [{ title: 'Darjeeling, first flush', rate: 500, quantity: 2 }],
  };
  const { order_id } = await say('create-order', cart, client.createOrder(cart));

  const modes = await client.paymentModes({ order_id });
  const codes = modes.other_payment_modes.items.map(({ payment_mode_code }) => payment_mode_code);
  await say('payment-modes', { order_id }, Promise.resolve({ other_payment_modes: codes }));

  const wish = { order_id, payment_mode_code: 'upi', upi_id: 'asha@okbank' } as const;
  const payment = await say('initiate-payment', wish, client.initiatePayment(wish));
  const [redirect] = payment.next;
  if (!redirect) throw new Error('there is no page to pay at');

  console.log(`${heading('the consumer')} opens ${redirect.url} and presses Pay\n`);
  await payAtPage(redirect.url);
  await simulator.settled();
  await events.printUntil(['payment_success', 'order_completed']);

  await disputeAndWin(stage);
  await events.printUntil(['dispute_created', 'dispute_won']);

  const part = {
    transaction_id: payment.transaction_id,
    refund_amount: 180,
    refund_request_id: 'RR-1',
  };
  await say('refund', part, client.refund(part));
  const rest = { invoice_id: invoice, refund_request_id: 'RR-2' };
  await say('refund', rest, client.refund(rest));
  await simulator.settled();
  await events.printUntil(['refund_success', 'refund_success']);

  const final = await client.transactionEnquiry({ invoice_id: invoice });
  console.log(`${heading('transaction-enquiry')}\n    ${readable({ invoice_id: invoice })}`);
  printEnquiry(final);
  for (const transaction of final.transaction) {
    const outcome = await client.verifySignature(transaction, invoice);
    if (outcome !== 'valid') throw new Error(`the signature is ${outcome}`);
  }
  const { orders, transactions, breaches } = await cli('verify');
  console.log(
    `${heading('verify')}\n  → ${orders} order, ${transactions} transactions, breaches: ${readable(breaches)}\n`,
  );
  if ((breaches as unknown[]).length > 0) throw new Error('verify found a breach');
  console.log('Signatures verified. The order travelled from creation to refund.');
}

/** While the dispute was open, the service would have refused to refund what it claims. */
async function disputeAndWin({ simulator }: Stage): Promise<void> {
  const [payment] = simulator.ledger().payments;
  const id = await simulator.disputes.open(payment?.id ?? '', { amount: 50_000 });
  await simulator.settled();
  await simulator.disputes.move(id ?? '', 'won');
  console.log(`${heading('the bank of the consumer')} disputes 500.00 INR, and the shop wins\n`);
  await simulator.settled();
}

/** From then on, the service sends every event to the shop of the simulator. */
async function connectShop({ cli, accountId, simulator }: Stage): Promise<void> {
  const words = ['endpoint', 'create', accountId, '--url', simulator.shop.url];
  console.log(heading(words.join(' ')));
  const { endpoint_id, secret } = await cli(...words);
  console.log(`  → ${readable({ endpoint_id, secret })}\n`);
  if (!(await simulator.shop.trust(String(secret)))) throw new Error('the shop has no secret');
}

function printEnquiry({ order, transaction }: Enquiry): void {
  const { refund_details: refunds } = order;
  console.log(`  → order ${order.svc_order_id} is ${order.status}`);
  for (const entry of transaction) {
    const status = entry.payment_status ?? entry.refund_status ?? '';
    const amount = money(entry.transaction_amount, entry.transaction_currency);
    console.log(
      `    ${entry.transaction_type.padEnd(15)} ${status.padEnd(10)} ${amount.padStart(12)}  ${entry.svc_transaction_id}  ${dim(entry.psp_transaction_id ?? '')}`,
    );
  }
  if (refunds) {
    const { refunded_amount, total_refundable_amount, refundable_currency: currency } = refunds;
    console.log(
      `    refunded ${money(refunded_amount, currency)} of ${money(total_refundable_amount, currency)}\n`,
    );
  }
}
