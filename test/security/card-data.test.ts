/**
 * Puts card numbers in many spellings into every text of requests and deliveries. None may be in any table, reply or
 * log line afterwards. `CARD_ROUNDS=200` tries more, `CARD_SEED` repeats a run. Contract 8.4 and 8.5.
 */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, test } from 'node:test';
import { verifyInvariants } from '../../src/use-cases/upkeep/verify-invariants.ts';
import { createDealer, jsonNumber, spellForm, spellJson } from '../support/card-disguises.ts';
import { readAllColumns, searchTexts, textsOf } from '../support/card-search.ts';
import {
  gatewayBody,
  partnerEvent,
  partnerPayment,
  partnerRefund,
  pathsOf,
  replaceAt,
  sendGateway,
  sendPartner,
} from '../support/deliveries.ts';
import { fullOrderBody, orderBody } from '../support/order-bodies.ts';
import { type Call, type Reply, startTestService } from '../support/test-service.ts';

type Fields = Record<string, unknown>;

const rounds = Number(process.env.CARD_ROUNDS ?? 6);
const seed = Number(process.env.CARD_SEED ?? Date.now() % 2 ** 31);
console.log(`card data: ${rounds} rounds, seed ${seed} (CARD_ROUNDS, CARD_SEED)`);

const dealer = createDealer(seed);
const { pick, deal, dealPlain, dealLoose, dealCode } = dealer;
const service = await startTestService();
const provider = await startQuotingProvider();
const account = await service.createAccount({
  paymentModes: { upi: 'partner', credit_card: 'bank-gateway' },
  providerApis: {
    partner: { url: provider, login: 'rzp_test_cards' },
    'bank-gateway': { url: provider, login: 'TESTMERCHANT' },
  },
  apiSecrets: { 'partner-key-secret': 'key-secret', 'bank-gateway-password': 'password' },
});
const replies: unknown[] = [];

test('no card number and no security code is stored, answered or logged, however it is spelled', async () => {
  for (let round = 0; round < rounds; round += 1) {
    const orderId = await createOrder();
    await updateOrder(orderId);
    await resolveUser(orderId);
    await lookUp(orderId);
    await startPayments(orderId);
    await deliverToPartner(orderId);
    await deliverToGateway(orderId);
    await refund();
    await refusedOrders();
    await enquire({ order_id: orderId });
  }
  assert.ok(dealer.numbers.size > 50 * rounds, `${dealer.numbers.size} numbers`);
  const { numbers, codes } = dealer;
  const rows = await readAllColumns(service.database);
  assert.ok(
    rows.some((text) => text.includes('****')),
    'nothing was masked in the database',
  );
  assert.deepEqual(searchTexts(rows, numbers, codes), []);
  assert.deepEqual(searchTexts(textsOf(replies), numbers, codes), []);
  const logged = service.logText().split('\n');
  assert.deepEqual(
    searchTexts(
      logged.flatMap((line) => [...textsOf(line)]),
      numbers,
      codes,
    ),
    [],
  );
  assert.deepEqual((await verifyInvariants(service.services)).breaches, []);
});

async function call(path: string, options: Call): Promise<Reply> {
  return note(await service.call(path, options));
}

function note(reply: Reply): Reply {
  replies.push(reply.body, [...reply.headers]);
  return reply;
}

/** Sends JSON in one of its equivalent spellings. */
async function post(path: string, body: Fields, headers: Record<string, string> = {}) {
  const { token } = account;
  return call(`/api/v3/${path}`, { token, body: spellJson(body, dealer), headers });
}

async function accepted(path: string, body: Fields): Promise<Fields> {
  const reply = await post(path, body);
  assert.equal(reply.status, 200, JSON.stringify([reply.body, body]));
  return reply.body;
}

/** Keys that a shop may choose. None of them exempts its value from masking. */
const keys = ['note', 'order_id', 'promo_code', 'api_key', 'receipt', 'contact', 'skuId', 'utr'];
const codeNames = [
  'cvv',
  'CVV2',
  'cvc',
  'cvn',
  'csc',
  'securityCode',
  'security_code',
  'cvvCode',
  'cvv_code',
  'card_cvv',
  'cardCvc',
  'card_security_code',
  'CSC code',
  'cvnNumber',
  'card-csc',
];

function attributes(where: string): Fields {
  return {
    ...Object.fromEntries(keys.map((key) => [key, deal(`${where}.${key}`)])),
    [deal(`a key of ${where}`, { charsMax: 64 })]: 'x',
    [`${pick(keys)}-as-number`]: jsonNumber(dealPlain(`a number of ${where}`)),
    [`${pick(keys)} in exponent form`]: exponentOf(dealPlain(`an exponent of ${where}`)),
    card_number: dealLoose(`${where}.card_number`),
    [pick(codeNames)]: dealCode(`a security code of ${where}`),
  };
}

function exponentOf(digits: string): string {
  return `${digits[0]}.${digits.slice(1)}e${digits.length - 1}`;
}

/** The free-text fields of an order. */
function orderTexts(where: string): Fields {
  const text = (name: string) => deal(`${where}.${name}`);
  const address = (name: string) =>
    Object.fromEntries(
      ['address_1', 'street', 'landmark', 'area', 'city', 'state', 'address_type'].map((field) => [
        field,
        text(`${name}.${field}`),
      ]),
    );
  const item = {
    sku_id: pick([text('sku_id'), jsonNumber(dealPlain(`${where}.sku_id`))]),
    title: text('title'),
    description: text('item description'),
    image_url: text('image_url'),
    rate: 118,
    quantity: 1,
  };
  return {
    shipping_address: { ...address('shipping'), pincode: jsonNumber(dealPlain('pincode')) },
    billing_address: { ...address('billing'), pincode: text('pincode') },
    order_line_items: [item, { ...item, sku_id: text('sku_id') }],
    custom_attributes: attributes(where),
    callback_url: `https://shop.example/?c=${encodeURIComponent(text('callback_url'))}`,
    ...Object.fromEntries(
      [
        'callback_mode',
        'description',
        'referrer_platform',
        'referrer_platform_version',
        'ip_address',
        'merchant_shopfront_domain',
        'a field that is not known',
      ].map((name) => [name, text(name)]),
    ),
  };
}

function person(where: string): Fields {
  return {
    first_name: deal(`${where}.first_name`),
    last_name: deal(`${where}.last_name`),
    email: `${dealPlain(`${where}.email`)}@example.com`,
    mobile_number: '9876543210',
  };
}

async function createOrder(): Promise<string> {
  const body = fullOrderBody({
    validate_order_line_item: undefined,
    ...orderTexts('create-order'),
    user: person('create-order'),
    bank_account: { account_number: '00112233445566', name: deal('bank_account.name') },
  });
  const created = await accepted('create-order', body);
  return String(created.order_id);
}

async function updateOrder(order_id: string): Promise<void> {
  const body = { order_id, ...orderTexts('update-order'), user: person('update-order') };
  await accepted('update-order', body);
}

async function resolveUser(order_id: string): Promise<void> {
  await accepted('resolve-user', { order_id, ...person('resolve-user') });
}

/** The reply to a refused request must not repeat the number either. */
async function refusedOrders(): Promise<void> {
  const bodies: Fields[] = [
    // With a leading plus it may be a phone number, whose country code is stored separately.
    { user: { ...person('a phone'), mobile_number: deal('mobile_number').replace(/^\+/, '') } },
    { user: { ...person('a phone'), mobile_number: jsonNumber(dealPlain('mobile_number')) } },
    { user: { ...person('a country'), country_code: deal('country_code') } },
    { user: { ...person('an email'), email: deal('email') } },
    { currency: deal('currency') },
    { total_amount: deal('total_amount') },
    { custom_attributes: { [deal('a key with a bad value', { charsMax: 64 })]: [] } },
    { custom_attributes: { [`${'x'.repeat(50)}${dealPlain('a long key')}`]: {} } },
    { order_line_items: [{ title: 'Tea', rate: dealRate(), quantity: 1 }] },
    { order_line_items: [{ title: 'Tea', rate: 1, quantity: jsonNumber(dealPlain('qty')) }] },
    { order_line_items: [{ title: 'Tea', rate: dealPlain('rate'), quantity: 1 }] },
  ];
  for (const body of bodies) {
    const reply = await post('create-order', orderBody(body));
    assert.equal(reply.status, 400, JSON.stringify([body, reply.body]));
  }
}

/** With a single point it would be a decimal, and a rate may have as many digits as a card number. */
function dealRate(): string {
  return deal('rate').replace(/^(\d+)\.(\d+)$/, '$1 $2');
}

async function lookUp(order_id: string): Promise<void> {
  const { token } = account;
  const query = (text: string) => encodeURIComponent(text).slice(0, 200);
  await call(`/api/v3/order?order_id=${query(deal('the query'))}`, { token });
  await call(`/api/v3/order?order_id=${order_id}&x=${query(deal('the query'))}`, { token });
  await call(`/api/v3/${query(deal('a path'))}`, { token });
  const headers = Object.fromEntries(
    ['x-request-id', 'user-agent', 'cookie', 'accept-language'].map((name) => [
      name,
      deal(name, { isPrintable: true, charsMax: 64 }),
    ]),
  );
  await call(`/api/v3/order?order_id=${order_id}`, { token, headers });
  await call('/api/v3/nothing', { headers: { 'x-request-id': dealPlain('x-request-id') } });
  await post('generate-token', { access_key: deal('access_key'), access_secret: deal('secret') });
  await post('transaction-enquiry', { transaction_id: deal('transaction_id') });
  await post('payment-modes', { order_id: deal('order_id') });
  await post('refresh-token', { refresh_token: deal('refresh_token') });
}

async function startPayments(order_id: string): Promise<void> {
  const base = { order_id, payment_mode_code: 'upi', upi_id: 'asha@okbank' };
  const bodies: Fields[] = [
    { upi_id: deal('upi_id') },
    { upi_id: `${dealPlain('upi_id')}@okbank` },
    { bank_code: deal('bank_code') },
    { wallet_code: deal('wallet_code') },
    { callback_url: `https://shop.example/?c=${encodeURIComponent(deal('callback_url'))}` },
    { remark: deal('a field that is not known') },
    { remark: { deep: [{ in: deal('a field within') }] } },
    { remark: jsonNumber(dealPlain('a number')) },
    { [deal('a name')]: 'x' },
    { remark: { [deal('a name within')]: 'x' } },
    { [pick(codeNames)]: dealCode('a security code') },
  ];
  for (const body of bodies) {
    const reply = await post('initiate-payment', { ...base, ...body });
    assert.equal(reply.status, 400, JSON.stringify([body, reply.body]));
  }
  // The provider refuses it, with a card number in its message.
  assert.equal((await accepted('initiate-payment', base)).payment_status, 'failed');
}

/** The providers' own references and amounts, which are not masked. */
const references =
  /(^|\.)(id|account_id|order_id|invoice_id|payment_id|receipt|batch_id|(base_)?amount(_refunded)?|fee|tax|arn|rrn|auth_code)$/;
const gatewayReferences =
  /^(merchant|order\.(id|.*[aA]mount)|transaction\.(id|receipt|reference|authorizationCode|stan|terminal|amount|acquirer\..*))$/;

/** Puts numbers into some fields of a body, under new keys and into a card. */
function spread(body: Fields, exempt: RegExp, where: string): Fields {
  const paths = pathsOf(body).filter(
    (path) => !exempt.test(path.filter((name) => name !== 'entity').join('.')),
  );
  const structural =
    /^(event|result)$|\b(notes|status|type|timeOf\w+|currency)$|^(payload|order|transaction)$|^payload\.\w+(\.entity)?$/;
  const open = paths.filter((path) => !structural.test(path.join('.')));
  let spreadBody = body;
  for (let count = 0; count < 12; count += 1) {
    const path = pick(open);
    const name = `${where} ${path.join('.')}`;
    const value = pick([deal(name), deal(name), jsonNumber(dealPlain(name))]);
    spreadBody = replaceAt(spreadBody, path, value);
  }
  return {
    ...spreadBody,
    [deal(`a key of ${where}`)]: { [deal(`a key within ${where}`)]: [deal(`a list of ${where}`)] },
    extra_id: deal(`${where} extra_id`),
    [pick(codeNames)]: dealCode(`a security code of ${where}`),
  };
}

async function deliverToPartner(order_id: string): Promise<void> {
  const payment = partnerPayment({
    notes: { svc_order_id: order_id, ...attributes('partner notes') },
    description: deal('partner description'),
  });
  const card = {
    ...(payment.card as Fields),
    number: dealLoose('partner card.number'),
    name: deal('partner card.name'),
    iin: dealLoose('partner card.iin'),
    [pick(codeNames)]: dealCode('partner card'),
  };
  const events = [
    partnerEvent('payment.captured', { payment: { ...payment, card } }),
    partnerEvent('payment.failed', { payment: { ...payment, id: `pay_${account.accountId}x` } }),
    partnerEvent('refund.processed', {
      refund: partnerRefund(payment, { amount: 100, notes: attributes('refund notes') }),
      payment,
    }),
    partnerEvent(`settlement.${dealPlain('an event')}`, { payment }),
  ];
  for (const event of events) {
    const body = spellJson(spread(event, references, 'partner'), dealer);
    const headers = { 'user-agent': deal('user-agent', { isPrintable: true }) };
    const reply = note(await sendPartner(service, account, body, { headers }));
    assert.equal(reply.status, 200, JSON.stringify(reply.body));
  }
  // Of two fields with one name the second is read, but both are stored.
  const hidden = spellJson(dealPlain('a field that another one of its name hides'), dealer);
  const twice = `{"x":${hidden},"x":1,${JSON.stringify(events[0]).slice(1)}`;
  assert.equal(note(await sendPartner(service, account, twice)).status, 200);
}

async function deliverToGateway(order_id: string): Promise<void> {
  const { order_id: own } = await accepted('create-order', orderBody());
  for (const [id, spell] of [
    [own, spellJson],
    [order_id, spellForm],
  ] as const) {
    const body = gatewayBody({
      order: { id, description: deal('gateway order.description') },
      response: { cardSecurityCode: { gatewayCode: 'MATCH', acquirerCode: 'M' } },
      sourceOfFunds: {
        provided: {
          card: {
            number: pick([dealLoose, deal])('gateway card.number'),
            nameOnCard: deal('gateway nameOnCard'),
            securityCode: dealCode('gateway securityCode'),
            fundingMethod: 'CREDIT',
          },
        },
      },
    });
    const text = spell(spread(body, gatewayReferences, 'gateway'), dealer);
    const headers = {
      'x-notification-secret': account.bankGatewaySecret,
      'x-notification-attempt': deal('x-notification-attempt', { isPrintable: true }),
      'content-type': deal('content-type', { isPrintable: true }),
    };
    const path = `/api/v3/webhooks/bank-gateway/${account.accountId}`;
    const reply = await call(path, { body: text, headers });
    assert.equal(reply.status, 200, JSON.stringify([reply.body, text]));
  }
}

async function refund(): Promise<void> {
  const { order_id } = await accepted('create-order', orderBody());
  const body = gatewayBody({ order: { id: order_id } });
  assert.equal(note(await sendGateway(service, account, body)).status, 200);
  const { transaction } = (await enquire({ order_id })).body;
  const transaction_id = transaction[0].svc_transaction_id;
  const refund_request_id = pick([
    deal('refund_request_id'),
    jsonNumber(dealPlain('refund_request_id')),
  ]);
  await accepted('refund', { transaction_id, refund_amount: 1, refund_request_id });
  await post('refund', { transaction_id, refund_amount: deal('refund_amount', { charsMax: 64 }) });
  await enquire({ order_id });
}

function enquire(body: Fields): Promise<Reply> {
  return post('transaction-enquiry', body);
}

/** A provider that refuses every call, with a card number in its message. */
async function startQuotingProvider(): Promise<string> {
  const server = createServer((_request, response) => {
    const description = `${'x'.repeat(pick([1, 270]))} ${deal('the words of a provider')}`;
    response.writeHead(400, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ error: { description } }));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  after(() => server.close());
  return `http://127.0.0.1:${(server.address() as { port: number }).port}`;
}
