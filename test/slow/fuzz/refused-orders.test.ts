import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { assertRefused } from '../../api/assertions.ts';
import { fullOrderBody } from '../../support/order-bodies.ts';
import { checkingAccounts } from '../../support/test-account.ts';
import { dumpTables } from '../../support/test-database.ts';
import { startTestService } from '../../support/test-service.ts';

type Body = Record<string, unknown>;

const service = await startTestService();
const { token } = await service.createAccount(checkingAccounts);

test('after a thousand refused bodies the tables are as before', async () => {
  assert.equal((await create(fullOrderBody())).status, 200);
  const before = await dumpTables(service.database);
  await fc.assert(
    fc.asyncProperty(refusedBody, async (body) => {
      const reply = await create(body);
      assert.equal(reply.status, 400, `${body}: ${show(reply.body)}`);
      assertRefused(reply, 'INVALID_REQUEST_PARAMETER', /./);
    }),
    { numRuns: 1_000 },
  );
  assert.deepEqual(await dumpTables(service.database), before);
});

const requiredPaths = [
  'invoice_id',
  'currency',
  'total_amount',
  'user',
  'shipping_address',
  'order_line_items',
  'user.email',
  'user.first_name',
  'user.mobile_number',
  'order_line_items.0.title',
  'order_line_items.0.quantity',
];
const amountPaths = [
  'total_amount',
  'tax',
  'amount_before_tax',
  'order_line_items.0.rate',
  'order_line_items.0.quantity',
  'order_line_items.0.tax',
  'order_line_items.0.total_amount',
];
const textPaths = [
  'invoice_id',
  'description',
  'callback_url',
  'callback_mode',
  'ip_address',
  'user.email',
  'user.first_name',
  'user.last_name',
  'user.country_code',
  'user.mobile_number',
  'shipping_address.city',
  'shipping_address.pincode',
  'billing_address.street',
  'order_line_items.0.sku_id',
  'order_line_items.0.title',
  'bank_account.name',
  'bank_account.account_number',
  'bank_account.ifsc',
  'custom_attributes.gift',
  'currency',
];
/** No field accepts these, whatever its type. */
const neverTaken = fc.oneof(
  fc.array(fc.integer(), { maxLength: 3 }).map((list) => [list]),
  fc.dictionary(fc.string({ maxLength: 5 }), fc.integer(), { maxKeys: 3 }).map((a) => [[a], null]),
);
const badAmount = fc.oneof(
  fc.integer({ max: -1 }),
  // JSON has no infinity: it would be written as null, which is an absent field.
  fc.double({ max: -1e-9, noNaN: true, noDefaultInfinity: true }),
  fc.stringMatching(/^[a-zA-Z ,_%-]{1,20}$/),
  fc.stringMatching(/^-\d{1,5}(\.\d\d)?$/),
  fc.boolean(),
);
const change = fc.oneof(
  fc.tuple(fc.constantFrom(...requiredPaths), fc.constantFrom(undefined, null)),
  fc.tuple(fc.constantFrom(...textPaths, ...amountPaths, 'user', 'bank_account'), neverTaken),
  fc.tuple(fc.constantFrom(...amountPaths), badAmount),
  fc.tuple(fc.constantFrom(...textPaths), fc.string({ minLength: 1025, maxLength: 1100 })),
  fc.tuple(
    fc.constantFrom('total_amount', 'tax', 'amount_before_tax'),
    fc.integer({ min: 119, max: 10 ** 6 }),
  ),
  fc.tuple(
    fc.constant('description'),
    fc.string().map((text) => `${text}\u0000`),
  ),
);
/** A valid body with one broken field, cut short, or with a byte that is not UTF-8. */
const refusedBody: fc.Arbitrary<string | Uint8Array> = fc.oneof(
  { weight: 8, arbitrary: change.map(([path, value]) => spoil(path, value)) },
  {
    weight: 1,
    arbitrary: fc.nat(500).map((kept) => JSON.stringify(fullOrderBody()).slice(0, kept)),
  },
  {
    weight: 1,
    arbitrary: fc.nat(500).map((index) => {
      const bytes = Buffer.from(JSON.stringify(fullOrderBody()));
      bytes[index] = 0xff;
      return bytes;
    }),
  },
);

function spoil(path: string, value: unknown): string {
  const body = structuredClone(fullOrderBody());
  const names = path.split('.');
  const last = names.pop() ?? '';
  let holder = body;
  for (const name of names) holder = holder[name] as Body;
  holder[last] = value;
  return JSON.stringify(body);
}

function create(body: Body | string | Uint8Array) {
  return service.call('/api/v3/create-order', { token, body });
}

function show(value: unknown): string {
  return JSON.stringify(value).slice(0, 300);
}
