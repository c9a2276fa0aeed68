import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import fc from 'fast-check';
import { openPayload, sealPayload } from '../../../src/security/sealed-payload.ts';
import type { FuzzRequest } from '../../support/fuzz-client.ts';
import {
  edgeValues,
  mutated,
  spliced,
  type Tree,
  treeOf,
  writeTree,
} from '../../support/fuzz-json.ts';
import { authorizations, extraHeaders, queries } from '../../support/fuzz-requests.ts';
import { type FuzzTally, fuzz, fuzzCases } from '../../support/fuzz-run.ts';
import {
  bodiesOf,
  type KnownValues,
  type Operation,
  operationsOf,
} from '../../support/fuzz-schema.ts';
import { assertUnchangedBy, assertUntouched, collectDefects } from '../../support/fuzz-state.ts';
import { startJourney } from '../../support/journey.ts';
import { fullOrderBody, orderBody } from '../../support/order-bodies.ts';

/** The other cases go to the webhooks. */
const cases = Math.ceil(fuzzCases * 0.6);

const { service, simulator, shop, openShop, createOrder, createPaid, initiate, assertSound } =
  await startJourney();
const sealed = await openShop({ encryptedPayloads: true, optionalOrderDetails: true });
const other = await openShop();
const secrets = [shop, sealed, other].flatMap((account) => [
  account.accessSecret,
  account.partnerWebhookSecret,
  account.bankGatewaySecret,
  account.token,
]);

const defects = collectDefects(service);
const created = new Set<string>();
const undocumented = new Set<string>();
let known: KnownValues;
let tally: FuzzTally;

before(async () => {
  known = await fillShop();
});

test('no request gets a 5xx, hangs, gets another error body or reveals a secret', async () => {
  const { body } = await service.call('/openapi.json');
  const operations = operationsOf(body).filter(({ path }) => !path.includes('/webhooks/'));
  tally = await fuzz({
    baseUrl: service.baseUrl,
    cases,
    requests: fc.oneof(
      ...operations.map((operation) => ({
        weight: operation.path.startsWith('/api/') ? 6 : 1,
        arbitrary: requestsOf(operation),
      })),
      { weight: 6, arbitrary: otherTargets(operations) },
    ),
    secrets,
    unseal,
    onReply: ({ request, reply }) => {
      noteUndocumented(operations, request, reply);
      const mayCreate = /^\/api\/v3\/(create-order|payment-link)/.test(request.target);
      if (mayCreate && reply.status === 200) created.add(JSON.parse(unseal(reply.text)).order_id);
    },
  });
  assert.ok(tally.cases >= cases, `${tally.cases}`);
});

test('every refusal has a status and a code that the API reference lists for its operation', () => {
  assert.deepEqual([...undocumented], []);
});

test('many requests were valid, and each common refusal occurred', () => {
  const { statuses } = tally;
  for (const status of [200, 400, 401, 403, 404, 405, 409, 413, 422]) {
    assert.ok((statuses[status] ?? 0) > 0, JSON.stringify(statuses));
  }
  assert.ok((statuses[200] ?? 0) > cases / 20, JSON.stringify(statuses));
});

test('exactly the orders that were answered 200 exist', async () => {
  const { rows } = await service.database.query<{ order_id: string }>({
    text: 'select order_id from orders',
  });
  assert.deepEqual(new Set(rows.map(({ order_id }) => order_id)), created);
});

test('a refused request changes nothing', async () => {
  await simulator.settled();
  await assertUnchangedBy(service, tally.refused);
});

test('the invariants hold, and the log contains no secret', async () => {
  assert.deepEqual(defects, []);
  await assertSound();
  await assertUntouched(service, secrets);
});

function noteUndocumented(
  operations: readonly Operation[],
  { method, target }: FuzzRequest,
  { status, text }: { readonly status: number; readonly text: string },
): void {
  const [path] = target.split('?');
  const operation = operations.find(
    (entry) => entry.method === method && patternOf(entry.path).test(path ?? ''),
  );
  // A reply that was cut off has no text.
  if (!operation || status < 400 || text === '') return;
  const code = JSON.parse(unseal(text)).error?.svc_error_code;
  if (!operation.codes[status]?.includes(code))
    undocumented.add(`${method} ${path}: ${status} ${code}`);
}

/** The path of an operation, with anything in place of the ids that it names. */
function patternOf(path: string): RegExp {
  return RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]*')}$`);
}

/** Orders in every state, and the values by which requests can name them. */
async function fillShop(): Promise<KnownValues> {
  const open = await create({ invoice_id: 'FUZZ-1' });
  const full = await create(fullOrderBody({ invoice_id: 'FUZZ-2' }));
  const paid = await createPaid({ invoice_id: 'FUZZ-3' });
  const byCard = await createPaid({ invoice_id: 'FUZZ-4' }, 'credit_card');
  const begun = await createOrder({ invoice_id: 'FUZZ-5' });
  const { body } = await initiate(begun);
  const { body: link } = await service.call('/api/v3/payment-link', {
    token: shop.token,
    body: orderBody({ invoice_id: 'FUZZ-6' }),
  });
  const orderIds = [
    link.order_id,
    open.order_id,
    full.order_id,
    paid.orderId,
    byCard.orderId,
    begun,
  ];
  for (const orderId of orderIds) created.add(orderId);
  return {
    order_id: [...orderIds, 'o_0000000000000000'],
    invoice_id: ['FUZZ-1', 'FUZZ-2', 'FUZZ-3', 'FUZZ-4', 'FUZZ-5', 'FUZZ-6', 'FUZZ-NEW', 42],
    payment_link_id: [link.payment_link_id, link.payment_link_id, 'x', null],
    action: ['cancel', 'send', 'x'],
    expires_at: ['2026-01-01 00:00:00', new Date(Date.now() + 86_400_000).toISOString(), 'x'],
    transaction_id: [paid.transactionId, byCard.transactionId, body.transaction_id, begun],
    svc_transaction_id: [null, null, paid.transactionId],
    refund_request_id: ['R-1', 'R-2', 'R-3', null],
    refund_amount: [1, '1.50', 118, 118.01, 9_999, 9_999, 0.1 + 0.2, null],
    amount: [9_999, '9999.00'],
    refresh_token: [open.refresh_token, full.refresh_token, open.token],
    token: [open.token, full.token],
    access_key: [shop.accessKey, other.accessKey],
    access_secret: [shop.accessSecret, other.accessSecret],
    currency: ['INR', 'INR', 'JPY', 'KWD', 'inr', 'XXX'],
    email: ['asha@example.com', 'x'],
    mobile_number: ['9876543210', 9876543210, '+91 (0)98765-43210', '0044 7911 123456', '12'],
    country_code: ['+91', '91', '0044', 91, 'IN', null],
    upi_id: ['asha@okbank', 'x'],
    bank_code: ['HDFC', 'x y'],
    wallet_code: ['paytm', null],
    callback_url: ['https://shop.example/return', 'javascript:1'],
    ifsc: ['HDFC0A1B2C3', 'x'],
  };
}

async function create(changes: Record<string, unknown>) {
  const { token } = shop;
  const reply = await service.call('/api/v3/create-order', { token, body: orderBody(changes) });
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  return reply.body;
}

function requestsOf(operation: Operation): fc.Arbitrary<FuzzRequest> {
  const { method, path, parameters, body } = operation;
  const query = queries(
    parameters.map(({ name }) => name).concat('x'),
    [known.order_id, known.invoice_id, known.transaction_id].flatMap(
      (ids) => ids?.map(String) ?? [],
    ),
  );
  const tokens = { good: [shop.token], others: [other.token, ...textsOf('token')] };
  const plain = fc
    .record({
      method: fc.constant(method),
      query: body
        ? fc.oneof({ weight: 9, arbitrary: fc.constant('') }, { weight: 1, arbitrary: query })
        : query,
      authorization: authorizations(tokens.good, [...tokens.others, ...textsOf('refresh_token')]),
      headers: extraHeaders,
      body: body ? bytesOf(treesOf(operation)) : fc.constant(undefined),
      id: fc.constantFrom(...idsOf(path)),
    })
    .map(({ id, ...parts }) => toRequest(path.replace(/\{\w+\}/, id), parts));
  if (!body) return plain;
  return fc.oneof(
    { weight: 5, arbitrary: plain },
    { weight: 1, arbitrary: sealedRequestsOf(operation) },
  );
}

/** What the path may name, and the placeholder itself. */
function idsOf(path: string): string[] {
  const ids = /order/.test(path) ? known.order_id : known.transaction_id;
  return [...(ids?.map(String) ?? []), '{id}'];
}

/** The same bodies sealed, either intact or changed in one digit. */
function sealedRequestsOf(operation: Operation): fc.Arbitrary<FuzzRequest> {
  const envelope = fc
    .tuple(treesOf(operation), fc.nat(), fc.constantFrom('', '', '', '0', 'z', '00'))
    .map(([tree, at, digit]) => {
      const hex = sealPayload(writeTree(tree), sealed.accessSecret);
      const index = at % hex.length;
      const changed = digit === '' ? hex : hex.slice(0, index) + digit + hex.slice(index + 1);
      return treeOf({ encrypted_payload: changed });
    });
  return fc
    .record({
      method: fc.constant(operation.method),
      query: fc.constant(''),
      authorization: authorizations([sealed.token], [shop.token, other.token]),
      headers: extraHeaders,
      body: bytesOf(mutated(envelope, 1)),
    })
    .map((parts) => toRequest(operation.path, parts));
}

/** Generated from the schema, from realistic bodies, and sometimes at random. */
function treesOf({ path, body = {} }: Operation): fc.Arbitrary<Tree> {
  const typical = typicalBodies[path];
  return fc.oneof(
    { weight: 4, arbitrary: bodiesOf(body, known) },
    ...(typical
      ? [{ weight: 5, arbitrary: mutated(fc.constantFrom(...typical()).map(treeOf)) }]
      : []),
    { weight: 1, arbitrary: edgeValues },
  );
}

const typicalBodies: Readonly<Record<string, () => Record<string, unknown>[]>> = {
  '/api/v3/create-order': () => [
    orderBody({ invoice_id: 'FUZZ-1' }),
    orderBody({ invoice_id: 'FUZZ-6' }),
    ...Array.from({ length: 30 }, () => fullOrderBody()),
  ],
  '/api/v3/update-order': updates,
  '/api/v3/order': updates,
};

function updates(): Record<string, unknown>[] {
  return [orderBody, fullOrderBody].flatMap((body) =>
    (known.order_id ?? []).map((order_id) => ({ ...body(), order_id })),
  );
}

function bytesOf(trees: fc.Arbitrary<Tree>): fc.Arbitrary<Buffer> {
  const bytes = spliced(trees.map((tree) => Buffer.from(writeTree(tree))));
  return fc.oneof(
    { weight: 200, arbitrary: bytes },
    { weight: 1, arbitrary: fc.constantFrom(...hugeBodies) },
  );
}

const hugeBodies = [
  `{"invoice_id":"${'x'.repeat(300 * 1024)}"}`,
  `[${'[],'.repeat(60_000)}[]]`,
  `{${Array.from({ length: 10_000 }, (_, index) => `"k${index}":1`).join(',')}}`,
  `{"total_amount":${'9'.repeat(100_000)}}`,
  `{"order_line_items":[${'{"title":"x","quantity":1,"rate":1},'.repeat(501).slice(0, -1)}]}`,
].map((text) => Buffer.from(text));

/** Known paths with other methods, unknown paths, and the launch and return pages. */
function otherTargets(operations: readonly Operation[]): fc.Arbitrary<FuzzRequest> {
  const paths = operations.map(({ path }) => path);
  const ids = [
    shop.accountId,
    other.accountId,
    ...textsOf('transaction_id'),
    '%00',
    '__proto__',
    '%zz',
  ];
  const page = fc
    .tuple(fc.constantFrom(...ids), fc.constantFrom(...ids), fc.constantFrom('', '/return'))
    .map(([account, transaction, end]) => `/pay/${account}/${transaction}${end}`);
  return fc
    .record({
      method: fc.constantFrom(
        'GET',
        'HEAD',
        'OPTIONS',
        'DELETE',
        'TRACE',
        'PURGE',
        'POST',
        'PATCH',
      ),
      path: fc.oneof(
        fc.constantFrom(...paths, '/openapi.json', '/', '/api/v3/__proto__', '/%2e%2e/etc', '/*'),
        fc.constantFrom('//api/v3/order', '/api/v3/order/', '/api/v3/order;x', '*', '/%c0%af'),
        page,
      ),
      query: queries(['x', 'order_id', 'until', 'paid'], ['x', '0']),
      authorization: authorizations([shop.token], [other.token]),
      headers: extraHeaders,
      body: fc.constantFrom(
        undefined,
        undefined,
        Buffer.from('{}'),
        Buffer.from('{'),
        Buffer.of(0xff),
      ),
    })
    .map(({ path, ...parts }) => toRequest(path, parts));
}

type Parts = {
  readonly method: string;
  readonly query: string;
  readonly authorization: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | undefined;
};

function toRequest(
  path: string,
  { method, query, authorization, headers, body }: Parts,
): FuzzRequest {
  return {
    method,
    target: query === '' ? path : `${path}?${query}`,
    headers: { ...(authorization !== undefined && { authorization }), ...headers },
    body,
  };
}

function textsOf(name: string): string[] {
  return (known[name] ?? []).filter((value) => typeof value === 'string');
}

function unseal(text: string): string {
  const hex = /^\{"encrypted_response":"([0-9a-f]+)"\}\n$/.exec(text)?.[1];
  if (hex === undefined) return text;
  const opened = openPayload(hex, sealed.accessSecret);
  assert.ok(opened, 'a sealed reply does not open');
  return opened.toString();
}
