import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import fc from 'fast-check';
import { verifyInvariants } from '../../../src/use-cases/upkeep/verify-invariants.ts';
import {
  flatPartnerEvent,
  gatewayBody,
  partnerEvent,
  partnerPayment,
  partnerRefund,
  signPartner,
  toFormData,
} from '../../support/deliveries.ts';
import type { FuzzRequest } from '../../support/fuzz-client.ts';
import { mutated, spliced, type Tree, treeOf, writeTree } from '../../support/fuzz-json.ts';
import { authorizations, extraHeaders } from '../../support/fuzz-requests.ts';
import { type FuzzTally, fuzz, fuzzCases } from '../../support/fuzz-run.ts';
import { bodiesOf, operationsOf, type Schema } from '../../support/fuzz-schema.ts';
import { assertUnchangedBy, assertUntouched, collectDefects } from '../../support/fuzz-state.ts';
import { orderBody } from '../../support/order-bodies.ts';
import { startTestService } from '../../support/test-service.ts';

/** The other cases go to the merchant's routes. */
const cases = Math.ceil(fuzzCases * 0.4);

const service = await startTestService();
const account = await service.createAccount({ bankGatewayMerchant: 'TESTMERCHANT' });
const other = await service.createAccount();
const secrets = [account, other].flatMap((owner) => [
  owner.accessSecret,
  owner.partnerWebhookSecret,
  owner.bankGatewaySecret,
  owner.token,
]);
const invoices = Array.from({ length: 40 }, (_, index) => `W-${index}`);
const orderIds: string[] = [];
const stored = new Set<string>();
const defects = collectDefects(service);
let tally: FuzzTally;

before(async () => {
  for (const invoice_id of invoices) {
    const body = orderBody({ invoice_id });
    const reply = await service.call('/api/v3/create-order', { token: account.token, body });
    assert.equal(reply.status, 200, JSON.stringify(reply.body));
    orderIds.push(reply.body.order_id);
  }
});

test('no delivery gets a 5xx, hangs, gets another error body or reveals a secret', async () => {
  const operations = operationsOf((await service.call('/openapi.json')).body);
  const schemaOf = (name: string): Schema =>
    operations.find(({ path }) => path === `/api/v3/webhooks/${name}`)?.body ?? {};
  tally = await fuzz({
    baseUrl: service.baseUrl,
    cases,
    requests: fc.oneof(
      partnerRequests(spliced(partnerBodies(schemaOf('partner')).map(toBytes))),
      gatewayRequests(spliced(gatewayBodies(schemaOf('bank-gateway')))),
    ),
    secrets,
    onReply: ({ reply }) => {
      if (reply.status === 200) stored.add(JSON.parse(reply.text).delivery_id);
    },
  });
  assert.ok(tally.cases >= cases, `${tally.cases}`);
});

test('many requests were valid, and each common refusal occurred', () => {
  const { statuses } = tally;
  for (const status of [200, 400, 401, 404]) {
    assert.ok((statuses[status] ?? 0) > 0, JSON.stringify(statuses));
  }
  assert.ok((statuses[200] ?? 0) > cases / 5, JSON.stringify(statuses));
});

test('exactly the deliveries that were answered 200 are stored', async () => {
  const { rows } = await service.database.query<{ delivery_id: string }>({
    text: 'select delivery_id from deliveries',
  });
  assert.deepEqual(new Set(rows.map(({ delivery_id }) => delivery_id)), stored);
});

test('a refused delivery changes nothing', async () => {
  await assertUnchangedBy(service, tally.refused);
});

test('the invariants hold, and the log contains no secret', async () => {
  assert.deepEqual(defects, []);
  await assertUntouched(service, secrets);
  assert.deepEqual((await verifyInvariants(service.services)).breaches, []);
});

const paymentIds = Array.from({ length: 60 }, (_, index) => `pay_${`${index}`.padStart(14, 'F')}`);
const refundIds = Array.from({ length: 40 }, (_, index) => `rfnd_${`${index}`.padStart(14, 'F')}`);
const events = [
  'payment.authorized',
  'payment.captured',
  'payment.failed',
  'order.paid',
  'refund.created',
  'refund.processed',
  'refund.failed',
  'payment.dispute.created',
  '',
];

/** An event of one of a few payments of one of a few orders, in either format. */
function partnerBodies(schema: Schema): fc.Arbitrary<Tree> {
  const event = fc
    .record({
      event: fc.constantFrom(...events),
      isFlat: fc.boolean(),
      id: fc.constantFrom(...paymentIds),
      refundId: fc.constantFrom(...refundIds),
      amount: fc.constantFrom(11_800, 11_800, 5_000, 0),
      status: fc.constantFrom('captured', 'failed', 'authorized', 'refunded', 'created', 'x'),
      notes: fc.constantFrom(...invoices.map((invoice_id) => ({ invoice_id })), [], null),
      name: fc.constantFrom(...invoices.map((_, index) => index)),
    })
    .map(({ event, isFlat, id, refundId, amount, status, notes, name }) => {
      const ours = { svc_order_id: orderIds[name] };
      const payment = partnerPayment({ id, amount, status, notes: name % 2 ? notes : ours });
      const refund = partnerRefund(payment, { id: refundId, amount: Math.min(amount, 5_000) });
      const records = { payment, ...(event.startsWith('refund') && { refund }) };
      return treeOf((isFlat ? flatPartnerEvent : partnerEvent)(event, records));
    });
  return fc.oneof(
    { weight: 4, arbitrary: mutated(event) },
    { weight: 1, arbitrary: bodiesOf(schema, { event: events, id: paymentIds }) },
  );
}

function gatewayBodies(schema: Schema): fc.Arbitrary<Buffer> {
  const event = fc
    .record({
      name: fc.nat({ max: invoices.length - 1 }),
      number: fc.nat({ max: 2 }),
      type: fc.constantFrom(
        'PAYMENT',
        'AUTHORIZATION',
        'CAPTURE',
        'REFUND',
        'VOID_PAYMENT',
        'AUTHENTICATION',
        'X',
      ),
      target: fc.constantFrom(undefined, 'PAYMENT-1', 'AUTHORIZATION-1'),
      result: fc.constantFrom('SUCCESS', 'FAILURE', 'PENDING', 'UNKNOWN', 'ERROR'),
    })
    .map(({ name, number, type, target, result }) =>
      gatewayBody({
        order: { id: name % 2 ? orderIds[name] : invoices[name] },
        transaction: {
          id: `${type}-${number}`,
          type,
          targetTransactionId: target,
        },
        result,
      }),
    );
  const known = { id: orderIds, result: ['SUCCESS', 'FAILURE'] };
  const forms = fc
    .tuple(
      event.map((body) => toFormData(body)),
      fc.array(fc.constantFrom(...oddPairs), { maxLength: 2 }),
    )
    .map(([form, pairs]) => Buffer.from([form, ...pairs].join('&')));
  return fc.oneof(
    { weight: 4, arbitrary: mutated(event.map(treeOf)).map(toBytes) },
    { weight: 2, arbitrary: forms },
    { weight: 1, arbitrary: bodiesOf(schema, known).map(toBytes) },
  );
}

/** The last of two equal names counts, and a name may be used both as a group and as a value. */
const oddPairs = [
  '__proto__.polluted=1',
  'constructor.prototype.polluted=1',
  'order.__proto__.id=x',
  ...[
    'order=1',
    'order.id.x=1',
    'order[0]=x',
    'order.id=%00',
    'order.id=%ED%A0%80',
    'order.id=%zz',
  ],
  'order.amount=1e308',
  'order.amount=-1',
  'order.amount=0.1000000000000000055',
  'result=',
  `${'a.'.repeat(40)}b=1`,
  'transaction.amount=NaN',
  '=x',
  '&&',
  'transaction.type=REFUND',
];

/** Mostly right signatures, because only then the body is processed. */
function partnerRequests(bodies: fc.Arbitrary<Buffer>): fc.Arbitrary<FuzzRequest> {
  return fc
    .record({ body: bodies, way: ways, eventId: keys, headers: extraHeaders, bearer })
    .map(({ body, way, eventId, headers, bearer: authorization }) => {
      const secret = way === 'wrong' ? other.partnerWebhookSecret : account.partnerWebhookSecret;
      const signature = signPartner(body, secret);
      return {
        method: 'POST',
        target: targetOf('partner', way),
        headers: {
          ...headers,
          ...(eventId !== undefined && { 'x-razorpay-event-id': eventId }),
          ...(way !== 'bearer' && { 'x-razorpay-signature': cut(signature, way) }),
          ...(way === 'bearer' && authorization !== undefined && { authorization }),
        },
        body,
      };
    });
}

function gatewayRequests(bodies: fc.Arbitrary<Buffer>): fc.Arbitrary<FuzzRequest> {
  return fc
    .record({ body: bodies, way: ways, eventId: keys, headers: extraHeaders, bearer })
    .map(({ body, way, eventId, headers, bearer: authorization }) => {
      const secret = (way === 'wrong' ? other : account).bankGatewaySecret;
      return {
        method: 'POST',
        target: targetOf('bank-gateway', way),
        headers: {
          ...headers,
          ...(eventId !== undefined && { 'x-notification-id': eventId }),
          ...(way !== 'bearer' && { 'x-notification-secret': cut(secret, way) }),
          ...(way === 'bearer' && authorization !== undefined && { authorization }),
        },
        body,
      };
    });
}

const ways = fc.oneof(
  { weight: 8, arbitrary: fc.constant('right' as const) },
  { weight: 1, arbitrary: fc.constantFrom('wrong' as const, 'cut' as const, 'lost' as const) },
  { weight: 2, arbitrary: fc.constant('bearer' as const) },
);
type Way = typeof ways extends fc.Arbitrary<infer Value> ? Value : never;

const bearer = authorizations([account.token], [other.token]);

/** Sometimes an earlier id; otherwise only the content identifies a repeat. */
const keys = fc.oneof(
  { weight: 3, arbitrary: fc.constant(undefined) },
  { weight: 2, arbitrary: fc.nat().map((number) => `event-${number}`) },
  { weight: 1, arbitrary: fc.constantFrom('E-1', '', '__proto__', 'x'.repeat(3_000), '\xff') },
);

function targetOf(provider: string, way: Way): string {
  const id = way === 'lost' ? '__proto__' : account.accountId;
  return `/api/v3/webhooks/${provider}${way === 'bearer' ? '' : `/${id}`}`;
}

function cut(proof: string, way: Way): string {
  return way === 'cut' ? proof.slice(0, -1) : proof;
}

function toBytes(tree: Tree): Buffer {
  return Buffer.from(writeTree(tree));
}
