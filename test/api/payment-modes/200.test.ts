import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commandLine } from '../../../src/domain/audit.ts';
import { openPayload, sealPayload } from '../../../src/security/sealed-payload.ts';
import { updateAccount } from '../../../src/use-cases/accounts/update-account.ts';
import { waitUntil } from '../../../tools/harness/wait-until.ts';
import { modeOf, startJourney } from '../../support/journey.ts';
import { orderBody } from '../../support/order-bodies.ts';
import { dumpTables } from '../../support/test-database.ts';
import type { Reply, TestAccount } from '../../support/test-service.ts';

const { service, simulator, shop, openShop, createOrder, createPaid, pay } = await startJourney();

const shown = {
  upi: 'UPI',
  credit_card: 'Credit Card',
  debit_card: 'Debit Card',
  net_banking: 'Netbanking',
  wallet: 'Wallet',
  prepaid_card: 'Prepaid Card',
};
type Code = keyof typeof shown;
const allCodes = Object.keys(shown) as Code[];
const tea = { currency: 'INR', amount_before_tax: 100, tax: 18, total_amount: 118 };

test('every enabled mode is listed with the amounts of the order, by either token', async () => {
  const created = await create(shop);
  const before = await dumpTables(service.database);
  for (const token of [shop.token, created.token]) {
    const reply = await list(created.order_id, token);
    assert.equal(reply.status, 200, JSON.stringify(reply.body));
    assert.deepEqual(reply.body, modesReply([], allCodes, tea));
  }
  assert.deepEqual(await dumpTables(service.database), before, 'nothing is changed by looking');
});

const amounts = [
  { currency: 'JPY', amount_before_tax: 463, tax: 37, total_amount: 500 },
  { currency: 'KWD', amount_before_tax: 1.234, tax: 0.016, total_amount: 1.25 },
  { currency: 'USD', amount_before_tax: 0.1, tax: 0.2, total_amount: 0.3 },
];
for (const order of amounts) {
  test(`amounts in ${order.currency} have the decimals of the currency`, async () => {
    const { body } = await list(await createOrder(order));
    assert.deepEqual(body, modesReply([], allCodes, order));
  });
}

test('a converted order is paid in the currency it is processed in', async () => {
  const converting = await openShop({
    alternateCurrencies: [{ from: 'USD', to: 'INR', rate: '83.25' }],
  });
  const order = { currency: 'USD', amount_before_tax: 9, tax: 1, total_amount: 10 };
  const { order_id } = await create(converting, order);
  const converted = {
    currency: 'INR',
    amount_before_tax: 749.25,
    tax: 83.25,
    total_amount: 832.5,
  };
  const { body } = await list(order_id, converting.token);
  assert.deepEqual(body, modesReply([], allCodes, converted));
});

test('modes that are off, and modes whose provider has no settings, are not listed', async () => {
  const { paymentModes } = await service.services.accounts.get(shop.accountId);
  const { upi: _off, ...others } = paymentModes;
  const cases: [settings: Parameters<typeof openShop>[0], codes: Code[]][] = [
    [{ paymentModes: others }, allCodes.filter((code) => code !== 'upi')],
    [{ paymentModes: {} }, []],
    [
      { apiSecrets: { 'bank-gateway-password': 'x' } },
      ['credit_card', 'debit_card', 'prepaid_card'],
    ],
    [{ apiSecrets: { 'partner-key-secret': 'x' } }, ['upi', 'net_banking', 'wallet']],
    [{ providerApis: {} }, []],
  ];
  for (const [settings, codes] of cases) {
    const account = await openShop(settings);
    const { order_id } = await create(account);
    const { body } = await list(order_id, account.token);
    assert.deepEqual(body, modesReply([], codes, tea), JSON.stringify(settings));
  }
});

test('modes the consumer has paid with come first, on their other orders too', async () => {
  const user = consumer('9000000011');
  await createPaid({ user }, 'net_banking');
  const { body } = await list(await createOrder({ user }));
  assert.deepEqual(body, modesReply(['net_banking'], without('net_banking'), tea));

  await createPaid({ user }, 'upi');
  await createPaid({ user }, 'upi');
  const { body: both } = await list(await createOrder({ user }));
  assert.deepEqual(both, modesReply(['upi', 'net_banking'], without('upi', 'net_banking'), tea));
});

test('neither modes of another consumer nor modes that failed come first', async () => {
  const user = consumer('9000000012');
  await createPaid({ user: consumer('9000000013') }, 'wallet');
  for (const mode of Object.values(modeOf)) await pay(await createOrder({ user }), mode, 'decline');
  await pay(await createOrder({ user }), 'net_banking', 'cancel');
  await simulator.settled();
  const { body } = await list(await createOrder({ user }));
  assert.deepEqual(body, modesReply([], allCodes, tea));
});

test('when the second attempt paid an order, the mode that failed does not come first', async () => {
  const user = consumer('9000000016');
  const orderId = await createOrder({ user });
  await pay(orderId, 'wallet', 'decline');
  await pay(orderId, 'upi');
  await simulator.settled();
  const { body } = await list(await createOrder({ user }));
  assert.deepEqual(body, modesReply(['upi'], without('upi'), tea));
});

test('modes the same person has paid with at another shop are not known here', async () => {
  const user = consumer('9000000014');
  await createPaid({ user }, 'upi');
  const other = await openShop();
  const { order_id } = await create(other, { user });
  assert.deepEqual((await list(order_id, other.token)).body, modesReply([], allCodes, tea));
});

test('an order token that names a customer does not learn how they paid', async () => {
  const user = consumer('9000000021');
  await createPaid({ user }, 'upi');
  const { token } = await create(shop, { user: consumer('9000000022') });
  const named = await service.call('/api/v3/update-order', { token, body: { user } });
  assert.equal(named.status, 200, JSON.stringify(named.body));
  const { order_id } = named.body;
  assert.deepEqual((await list(order_id, token)).body, modesReply([], allCodes, tea));
  assert.deepEqual((await list(order_id)).body, modesReply([], allCodes, tea));
});

test('an order without a consumer has no fast modes', async () => {
  const account = await openShop({ optionalOrderDetails: true });
  const bare = { user: null, shipping_address: null, order_line_items: null };
  const { order_id } = await create(account, bare);
  assert.deepEqual((await list(order_id, account.token)).body, modesReply([], allCodes, tea));
});

test('a sealed request is answered sealed', async () => {
  const account = await openShop({ encryptedPayloads: true });
  const { order_id } = await create(account);
  const sealed = sealPayload(JSON.stringify({ order_id }), account.accessSecret);
  const reply = await service.call('/api/v3/payment-modes', {
    token: account.token,
    body: { encrypted_payload: sealed },
  });
  assert.equal(reply.status, 200);
  assert.deepEqual(Object.keys(reply.body), ['encrypted_response']);
  const opened = openPayload(reply.body.encrypted_response, account.accessSecret);
  assert.deepEqual(JSON.parse(String(opened)), modesReply([], allCodes, tea));
});

/** Last in this file: other tests need every mode. */
test('a mode that is no longer enabled is not listed, even if the consumer has paid with it', async () => {
  const user = consumer('9000000015');
  await createPaid({ user }, 'wallet');
  await updateAccount(
    service.services,
    shop.accountId,
    ({ paymentModes }) => {
      const { wallet: _off, ...others } = paymentModes;
      return { paymentModes: others };
    },
    commandLine,
  );
  const orderId = await createOrder({ user });
  // A process caches account settings for a second.
  const isOff = async () => !JSON.stringify((await list(orderId)).body).includes('wallet');
  await waitUntil('the wallet is off', isOff);
  assert.deepEqual((await list(orderId)).body, modesReply([], without('wallet'), tea));
});

function list(orderId: string, token: string = shop.token): Promise<Reply> {
  return service.call('/api/v3/payment-modes', { token, body: { order_id: orderId } });
}

async function create(
  { token }: TestAccount,
  changes: object = {},
): Promise<{ order_id: string; token: string }> {
  const body = { ...orderBody(), ...changes };
  const reply = await service.call('/api/v3/create-order', { token, body });
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  return reply.body;
}

/** The whole reply, for an order of these amounts. */
function modesReply(fast: Code[], other: Code[], order: typeof tea) {
  const items = (codes: Code[]) => codes.map((code) => item(code, order));
  return {
    fast_payment_modes: { items: items(fast) },
    other_payment_modes: { items: items(other) },
  };
}

function item(code: Code, order: typeof tea) {
  return {
    payment_mode_code: code,
    payment_mode: shown[code],
    amount_before_tax: order.amount_before_tax,
    tax: order.tax,
    currency: order.currency,
    total_amount: order.total_amount,
    additional_charges: 0,
    grand_total_amount: order.total_amount,
    next: [{ action: 'initiate_payment', url: '/api/v3/initiate-payment' }],
  };
}

function without(...codes: Code[]): Code[] {
  return allCodes.filter((code) => !codes.includes(code));
}

function consumer(mobile_number: string) {
  return { email: 'asha@example.com', first_name: 'Asha', mobile_number };
}
