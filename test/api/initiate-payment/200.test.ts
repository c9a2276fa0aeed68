import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openPayload, sealPayload } from '../../../src/security/sealed-payload.ts';
import { listRecentHistory } from '../../../src/store/orders/history.ts';
import { findFreePort } from '../../../tools/harness/free-port.ts';
import { readLaunchForm, startJourney } from '../../support/journey.ts';
import { orderBody } from '../../support/order-bodies.ts';
import type { Reply, TestAccount } from '../../support/test-service.ts';

const { service, simulator, shop, openShop, createOrder, initiate, pay, enquire, assertSound } =
  await startJourney();

const modes = [
  ['upi', { upi_id: 'asha@okbank' }, 'UPI', { upi_id: 'asha@okbank' }],
  ['net_banking', { bank_code: 'HDFC' }, 'Netbanking', { bank_name: 'HDFC' }],
  ['wallet', { wallet_code: 'paytm' }, 'Wallet', { wallet_name: 'paytm' }],
  ['credit_card', {}, 'Credit Card', null],
  ['debit_card', {}, 'Debit Card', null],
  ['prepaid_card', {}, 'Prepaid Card', null],
] as const;
for (const [code, choice, payment_mode, sub_payment_mode] of modes) {
  test(`a payment by ${code} is started, and shown as pending until it is paid`, async () => {
    const orderId = await createOrder();
    const reply = await initiate(orderId, code, choice);
    assertStarted(reply, orderId);

    const { transaction, order } = (await enquire({ order_id: orderId })).body;
    assert.equal(order.status, 'pending');
    const partner = sub_payment_mode ? 'Razorpay' : 'Mastercard Gateway';
    assert.deepEqual(transaction, [
      pendingPayment(reply.body.transaction_id, partner, { payment_mode, sub_payment_mode }),
    ]);
  });
}

test('an order token starts a payment of its order, and sees its own data masked', async () => {
  const { order_id, token } = await create(shop);
  const body = { order_id, payment_mode_code: 'upi', upi_id: 'asha.rao@okbank' };
  const reply = await service.call('/api/v3/initiate-payment', { token, body });
  assertStarted(reply, order_id);
  const seen = await service.call('/api/v3/transaction-enquiry', { token, body: { order_id } });
  assert.deepEqual(seen.body.transaction[0].sub_payment_mode, { upi_id: 'a***o@okbank' });
});

test('a mode is routed to the provider that the account configures', async () => {
  const { paymentModes } = await service.services.accounts.get(shop.accountId);
  const turned = await openShop({
    paymentModes: { ...paymentModes, credit_card: 'partner', upi: 'bank-gateway' },
  });
  const { order_id } = await create(turned);
  const start = (fields: object) =>
    service.call('/api/v3/initiate-payment', {
      token: turned.token,
      body: { order_id, ...fields },
    });
  const card = await start({ payment_mode_code: 'credit_card' });
  assert.ok(card.body.next[0].url.startsWith(`${service.baseUrl}/pay/${turned.accountId}/`));
  const upi = await start({ payment_mode_code: 'upi', upi_id: 'asha@okbank' });
  assert.ok(upi.body.next[0].url.startsWith(`${simulator.url}/checkout/pay/SESSION`));
});

const names: [sent: string, choice: object, shown: string][] = [
  ['netbanking', { bank_code: 'HDFC' }, 'Netbanking'],
  ['NetBanking', { bank_code: 'HDFC' }, 'Netbanking'],
  ['UPI', {}, 'UPI'],
  ['Wallet', { wallet_code: 'paytm' }, 'Wallet'],
  ['Credit Card', {}, 'Credit Card'],
  ['debit card', {}, 'Debit Card'],
  ['PREPAID CARD', {}, 'Prepaid Card'],
  ['CARD', {}, 'Credit Card'],
];
for (const [sent, choice, shown] of names) {
  test(`a mode may be named ${sent}`, async () => {
    const { order_id } = await create(shop);
    const reply = await service.call('/api/v3/initiate-payment', {
      token: shop.token,
      body: { order_id, payment_mode_code: sent, ...choice },
    });
    assertStarted(reply, order_id);
    const { transaction } = (await enquire({ order_id })).body;
    assert.equal(transaction[0].payment_mode, shown);
  });
}

test('card is an alias of credit_card, whatever other cards the account accepts', async () => {
  const { paymentModes } = await service.services.accounts.get(shop.accountId);
  const turned = await openShop({ paymentModes: { ...paymentModes, credit_card: 'partner' } });
  for (const [account, partner] of [
    [shop, 'Mastercard Gateway'],
    [turned, 'Razorpay'],
  ] as const) {
    const { order_id } = await create(account);
    const body = { order_id, payment_mode_code: 'card' };
    const reply = await service.call('/api/v3/initiate-payment', { token: account.token, body });
    assertStarted(reply, order_id);
    const seen = await service.call('/api/v3/transaction-enquiry', {
      token: account.token,
      body: { order_id },
    });
    const fields = { payment_mode: 'Credit Card', sub_payment_mode: null };
    assert.deepEqual(seen.body.transaction, [
      pendingPayment(reply.body.transaction_id, partner, fields),
    ]);
  }
});

test('fields that a mode does not use, and unknown fields, are ignored', async () => {
  const orderId = await createOrder();
  const more = { bank_code: null, wallet_code: '', upi_id: 'x', amount: 1, next: {} };
  assertStarted(await initiate(orderId, 'credit_card', more), orderId);
});

test('the provider returns the consumer to our page first, whatever the callback_url is', async () => {
  const back = 'https://shop.example/order?a=1&b="2"';
  const orders = [await createOrder({ callback_url: back }), await createOrder()];
  for (const orderId of orders) {
    for (const more of [{}, { callback_url: '' }, { callback_url: `${back}/call` }]) {
      const { body } = await initiate(orderId, 'upi', more);
      const page = await (await fetch(body.next[0].url)).text();
      assert.equal(readLaunchForm(page).fields.callback_url, `${body.next[0].url}/return`);
      assert.ok(!page.includes('shop.example'));
    }
  }
});

const currencies = [
  ['JPY', 500, 500],
  ['KWD', 1.25, 1250],
  ['INR', 1.1, 110],
] as const;
for (const [currency, total_amount, minor] of currencies) {
  test(`the providers are sent exactly ${total_amount} ${currency}`, async () => {
    const amounts = { currency, amount_before_tax: undefined, tax: 0, total_amount };
    for (const mode of ['upi', 'credit_card'] as const) {
      const orderId = await createOrder(amounts);
      const transactionId = await pay(orderId, mode);
      await simulator.settled();
      const there = simulator
        .ledger()
        .payments.find(({ reference }) => reference === transactionId);
      assert.deepEqual([there?.amount, there?.currency], [minor, currency]);
      const { body } = await enquire({ order_id: orderId });
      assert.equal(body.order.status, 'completed');
      assert.equal(body.transaction[0].transaction_amount, total_amount);
    }
  });
}

test('another payment may follow a failed one, and each is an attempt', async () => {
  const orderId = await createOrder();
  const first = await pay(orderId, 'upi', 'decline');
  await simulator.settled();
  const second = await pay(orderId, 'credit_card');
  await simulator.settled();
  const { transaction, order } = (await enquire({ order_id: orderId })).body;
  assert.equal(order.status, 'completed');
  assert.deepEqual(
    transaction.map((entry: Record<string, unknown>) => [
      entry.svc_transaction_id,
      entry.payment_status,
    ]),
    [
      [first, 'failed'],
      [second, 'succeeded'],
    ],
  );
});

test("a refusal of the provider makes a failed payment, with the provider's message for the merchant", async () => {
  const secrets = { 'partner-key-secret': 'wrong', 'bank-gateway-password': 'wrong' };
  const account = await openShop({ apiSecrets: secrets });
  for (const fields of [
    { payment_mode_code: 'upi', upi_id: 'asha@okbank' },
    { payment_mode_code: 'credit_card' },
  ]) {
    const { order_id } = await create(account);
    const body = { order_id, ...fields };
    const reply = await service.call('/api/v3/initiate-payment', { token: account.token, body });
    assert.equal(reply.status, 200);
    const { transaction_id, message, ...others } = reply.body;
    assert.match(message, /^The provider refused to start the payment: HTTP status 401: /);
    assert.deepEqual(others, { order_id, payment_status: 'failed', next: [] });
    const { body: seen } = await service.call('/api/v3/transaction-enquiry', {
      token: account.token,
      body: { transaction_id },
    });
    assert.equal(seen.order.status, 'pending');
    assert.equal(seen.transaction[0].payment_status, 'failed');
    assert.equal(seen.transaction[0].message, message);
    const { svc_consumer_message, ...reason } = seen.transaction[0].failure_reason;
    assert.match(svc_consumer_message, /^[A-Z].+/);
    assert.doesNotMatch(svc_consumer_message, /401|refused/);
    assert.deepEqual(reason, {
      svc_error_code: 'PROVIDER_TECHNICAL_ERROR',
      svc_merchant_message: message,
      retry_allowed: true,
    });
  }
});

test('a payment fails at once when the provider cannot be reached, and is pending when the answer is lost', async () => {
  const url = `http://127.0.0.1:${await findFreePort()}`;
  const login = 'rzp_test_nowhere';
  const lost = await openShop({ providerApis: { partner: { url, login } } });
  const { order_id } = await create(lost);
  const upi = { payment_mode_code: 'upi', upi_id: 'asha@okbank' };
  const unreached = await service.call('/api/v3/initiate-payment', {
    token: lost.token,
    body: { order_id, ...upi },
  });
  const { transaction_id, ...others } = unreached.body;
  assert.deepEqual(others, {
    order_id,
    payment_status: 'failed',
    message:
      'The payment was not started, because the provider cannot be reached. Nothing was charged: try again.',
    next: [],
  });
  const enquired = await service.call('/api/v3/transaction-enquiry', {
    token: lost.token,
    body: { transaction_id },
  });
  const [element] = enquired.body.transaction;
  assert.deepEqual(
    [element.payment_status, element.failure_reason.svc_error_code, enquired.body.order.status],
    ['failed', 'PROVIDER_UNAVAILABLE', 'pending'],
  );

  const orderId = await createOrder();
  simulator.setScenarioFor(orderId, { name: 'provider-down' });
  assertUndecided(await initiate(orderId), orderId);
});

test('every call to a provider is recorded in the history with its outcome', async () => {
  const orderId = await createOrder();
  const { transaction_id } = (await initiate(orderId)).body;
  const history = await listRecentHistory(
    service.database,
    { accountId: shop.accountId, orderId },
    1_000,
  );
  assert.deepEqual(
    history.flatMap(({ transactionId, cause, call }) =>
      call ? [{ transactionId, cause, ...call, durationMs: call.durationMs >= 0 }] : [],
    ),
    [
      {
        transactionId: transaction_id,
        cause: 'start-payment',
        operation: 'start-payment',
        outcome: 'done',
        httpStatus: 200,
        tries: 1,
        durationMs: true,
      },
    ],
  );
});

test('a sealed request is answered sealed', async () => {
  const account = await openShop({ encryptedPayloads: true });
  const { order_id } = await create(account);
  const { token } = account;
  const wished = { order_id, payment_mode_code: 'upi', upi_id: 'asha@okbank' };
  const encrypted_payload = sealPayload(JSON.stringify(wished), account.accessSecret);
  const body = { encrypted_payload };
  const reply = await service.call('/api/v3/initiate-payment', { token, body });
  assert.deepEqual(Object.keys(reply.body), ['encrypted_response']);
  const opened = openPayload(reply.body.encrypted_response, account.accessSecret);
  assertStarted({ ...reply, body: JSON.parse(String(opened)) }, order_id);
});

test("no log line contains credentials or the consumer's choice", () => {
  const log = service.logText();
  for (const secret of ['_journey', 'asha@okbank', 'asha.rao', shop.token]) {
    assert.ok(!log.includes(secret), secret);
  }
});

test('the invariants hold after all of this', assertSound);

/** Asserts the whole reply to a payment that its provider accepted. */
function assertStarted({ status, body }: Reply, orderId: string): void {
  assert.equal(status, 200, JSON.stringify(body));
  const { transaction_id, next, ...others } = body;
  assert.match(transaction_id, new RegExp(`^${orderId}-\\d{12}$`));
  assert.deepEqual(others, {
    order_id: orderId,
    payment_status: 'pending',
    message: 'Send the consumer to the payment page.',
  });
  assert.equal(next.length, 1);
  assert.deepEqual(Object.keys(next[0]), ['action', 'url']);
  assert.equal(next[0].action, 'redirect');
  const ours = next[0].url.startsWith(`${service.baseUrl}/pay/acc_`);
  assert.ok(ours || next[0].url.startsWith(`${simulator.url}/checkout/pay/`), next[0].url);
}

/** Asserts the whole reply to a payment whose outcome is unknown. */
function assertUndecided({ status, body }: Reply, orderId: string): void {
  assert.equal(status, 200, JSON.stringify(body));
  const { transaction_id, message, ...others } = body;
  assert.match(transaction_id, new RegExp(`^${orderId}-\\d{12}$`));
  assert.match(message, /transaction-enquiry/);
  assert.deepEqual(others, { order_id: orderId, payment_status: 'pending', next: [] });
}

/** The whole element of the enquiry before the provider has reported it. */
function pendingPayment(svc_transaction_id: string, payment_partner: string, fields: object) {
  return {
    transaction_type: 'payment',
    completion_time: null,
    svc_transaction_id,
    payment_status: 'pending',
    message: null,
    svc_signature: null,
    signature_version: 'v3',
    failure_reason: null,
    payment_partner,
    processing_payment_partner: payment_partner,
    psp_transaction_id: null,
    transaction_amount: 118,
    transaction_currency: 'INR',
    additional_charges: null,
    offer_discount: null,
    offer_id: null,
    payment_acquirer: null,
    payment_arn: null,
    emi: null,
    refund_status: null,
    refund_request_id: null,
    refund_arn: null,
    authorization_details: null,
    disputes: [],
    ...fields,
  };
}

async function create({ token }: TestAccount): Promise<{ order_id: string; token: string }> {
  const reply = await service.call('/api/v3/create-order', { token, body: orderBody() });
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  return reply.body;
}
