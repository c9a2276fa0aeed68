import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Call } from '../../../simulator/simulator.ts';
import { openPayload, sealPayload } from '../../../src/security/sealed-payload.ts';
import { sweep } from '../../../src/use-cases/upkeep/sweep.ts';
import { findCheckout, modeOf, startJourney } from '../../support/journey.ts';
import { issueMerchantToken } from '../../support/merchant-token.ts';
import { orderBody } from '../../support/order-bodies.ts';
import { dumpTables } from '../../support/test-database.ts';
import type { Reply, TestAccount } from '../../support/test-service.ts';
import { assertRefused } from '../assertions.ts';

/** Calls that reached a provider; the test may hold one back. */
const calls: Call[] = [];
let hold: Promise<void> | undefined;
const { service, simulator, shop, openShop, createOrder, pay, enquire, assertSound } =
  await startJourney({
    beforeAnswer: async (call) => {
      calls.push(call);
      await hold;
    },
  });
const timesFifty = Array.from({ length: 50 }, (_, index) => index);
const daySeconds = 24 * 60 * 60;

test('a call without the header stores no key', async () => {
  const orderId = await createOrder();
  const [one, two] = [await start(undefined, upi(orderId)), await start(undefined, upi(orderId))];
  assert.notEqual(one.body.transaction_id, two.body.transaction_id);
  assert.deepEqual([isReplay(one), isReplay(two)], [false, false]);
  assert.deepEqual((await dumpTables(service.database)).idempotency_keys, []);
});

for (const [provider, mode] of Object.entries(modeOf)) {
  test(`the same key and content returns the first reply again, at ${provider}`, async () => {
    const orderId = await createOrder();
    const body = mode === 'upi' ? upi(orderId) : card(orderId);
    const first = await start(`same-${mode}`, body);
    assert.equal(first.status, 200, JSON.stringify(first.body));
    assert.equal(first.body.next.length, 1);
    assert.equal(isReplay(first), false);

    await assertNothingHappens(async () => {
      assertReplayed(await start(`same-${mode}`, body), first);
      // Ignored fields, empty fields and other spellings do not change the content.
      assertReplayed(await start(`same-${mode}`, { ...body, callback_url: '', x: 1 }), first);
    });

    // Even when the order no longer accepts payments.
    await simulator.pay(await findCheckout(first.body.next[0].url));
    await simulator.settled();
    assert.equal((await enquire({ order_id: orderId })).body.order.status, 'completed');
    assertReplayed(await start(`same-${mode}`, body), first);
    assertRefused(await start(`other-${mode}`, body), 'ORDER_COMPLETED');
  });

  test(`fifty concurrent calls with one key make one payment and equal replies, at ${provider}`, async () => {
    const orderId = await createOrder();
    calls.length = 0;
    const body = mode === 'upi' ? upi(orderId) : card(orderId);
    const replies = await Promise.all(timesFifty.map(() => start(`fifty-${mode}`, body)));
    const fresh = replies.filter((reply) => !isReplay(reply));
    assert.equal(fresh.length, 1);
    for (const { status, body } of replies) assert.deepEqual([status, body], [200, fresh[0]?.body]);
    assert.equal(calls.length, 1);
    const { transaction } = (await enquire({ order_id: orderId })).body;
    assert.equal(transaction.length, 1);
  });
}

test('card and credit_card are the same content', async () => {
  const orderId = await createOrder();
  const first = await start('card', { order_id: orderId, payment_mode_code: 'card' });
  assertReplayed(await start('card', card(orderId)), first);
});

test('other content under the same key is refused, and nothing happens', async () => {
  const orderId = await createOrder();
  const other = await createOrder();
  const body = { ...upi(orderId), callback_url: 'https://shop.example/a' };
  assert.equal((await start('other', body)).status, 200);
  const contents = [
    card(orderId),
    upi(orderId),
    { ...body, upi_id: 'asha@other' },
    { ...body, callback_url: 'https://shop.example/b' },
    { ...body, order_id: other },
    // This one would be refused anyway; the used key is checked first.
    { order_id: orderId, payment_mode_code: 'wallet', wallet_code: 'paytm' },
  ];
  await assertNothingHappens(async () => {
    for (const content of contents) {
      assertRefused(await start('other', content), 'IDEMPOTENCY_KEY_REUSED');
    }
  });
});

test('one key used concurrently for two orders makes one payment, and the other order is refused', async () => {
  const orders = [await createOrder(), await createOrder()];
  calls.length = 0;
  const replies = await Promise.all(
    timesFifty.map((index) => start('two-orders', upi(orders[index % 2] ?? ''))),
  );
  const made = replies.filter(({ status }) => status === 200);
  assert.equal(made.length, 25);
  assert.equal(new Set(made.map(({ body }) => body.transaction_id)).size, 1);
  for (const reply of replies.filter(({ status }) => status !== 200)) {
    assertRefused(reply, 'IDEMPOTENCY_KEY_REUSED');
  }
  assert.equal(calls.length, 1);
});

const keys: [name: string, key: string][] = [
  ['is empty', ''],
  ['has 256 characters', 'k'.repeat(256)],
  ['holds a tab', 'a\tb'],
];
for (const [name, key] of keys) {
  test(`a key that ${name} is refused, the message names the header, and nothing happens`, async () => {
    const orderId = await createOrder();
    await assertNothingHappens(async () => {
      const words = 'Idempotency-Key must have 1 to 255 characters';
      assertRefused(await start(key, upi(orderId)), 'INVALID_REQUEST_PARAMETER', words);
    });
  });
}

test('a key may have 255 printable characters of any kind', async () => {
  for (const key of ['k'.repeat(255), `"a b" ', \\ {}~!`, '0']) {
    const orderId = await createOrder();
    const first = await start(key, upi(orderId));
    assertReplayed(await start(key, upi(orderId)), first);
  }
});

test('a refusal leaves the key free: the corrected request succeeds', async () => {
  const { accounts } = service.services;
  const { paymentModes } = await accounts.get(shop.accountId);
  const account = await openShop({ paymentModes: { ...paymentModes, wallet: undefined } });
  const { order_id } = await create(account);
  const wallet = { order_id, payment_mode_code: 'wallet', wallet_code: 'paytm' };
  const by = account.token;
  assertRefused(await start('corrected', wallet, by), 'PAYMENT_MODE_NOT_ENABLED');
  const unknown = { ...upi('o_0000000000000000') };
  assertRefused(await start('corrected', unknown, by), 'ORDER_NOT_FOUND');
  const made = await start('corrected', upi(order_id), by);
  assert.deepEqual([made.status, isReplay(made)], [200, false]);
});

test('two accounts, and an order token and a merchant token, never share a key', async () => {
  const other = await openShop();
  const [first, second, third] = [await create(shop), await create(shop), await create(other)];
  const callers = [
    [shop.token, first.order_id],
    [first.token, first.order_id],
    [second.token, second.order_id],
    [other.token, third.order_id],
    [third.token, third.order_id],
  ] as const;
  const made: Reply[] = [];
  for (const [token, orderId] of callers) {
    const reply = await start('shared', upi(orderId), token);
    assert.deepEqual([reply.status, isReplay(reply)], [200, false], JSON.stringify(reply.body));
    made.push(reply);
  }
  for (const [index, [token, orderId]] of callers.entries()) {
    assertReplayed(await start('shared', upi(orderId), token), made[index]);
  }
  const stranger = await start('shared', upi(first.order_id), second.token);
  assertRefused(stranger, 'ORDER_NOT_FOUND');
});

test('a repeat returns the same reply after a refusal or a missing answer of the provider', async () => {
  const secrets = { 'partner-key-secret': 'wrong', 'bank-gateway-password': 'wrong' };
  const account = await openShop({ apiSecrets: secrets });
  const { order_id } = await create(account);
  const refused = await start('refused', card(order_id), account.token);
  assert.equal(refused.body.payment_status, 'failed');
  assertReplayed(await start('refused', card(order_id), account.token), refused);

  const orderId = await createOrder();
  simulator.setScenarioFor(orderId, { name: 'provider-down', times: 3 });
  const unknown = await start('unknown', upi(orderId));
  assert.deepEqual([unknown.body.payment_status, unknown.body.next], ['pending', []]);
  assertReplayed(await start('unknown', upi(orderId)), unknown);
});

test('a repeat during the call to the provider waits for the first reply', async () => {
  const orderId = await createOrder();
  const held = Promise.withResolvers<void>();
  hold = held.promise;
  calls.length = 0;
  const first = start('waits', card(orderId));
  while (calls.length === 0) await new Promise((resolve) => setImmediate(resolve));
  const repeat = start('waits', card(orderId));
  const other = await start('waits', upi(orderId));
  assertRefused(other, 'IDEMPOTENCY_KEY_REUSED');
  hold = undefined;
  held.resolve();
  assertReplayed(await repeat, await first);
  assert.equal(calls.length, 1);
});

test('a first reply that was not stored is built from the current payment', async () => {
  const paid = await createOrder();
  const cases = [
    ['lost-upi', upi(await createOrder()), 'pending', 1],
    ['lost-card', card(await createOrder()), 'pending', 1],
    ['lost-paid', upi(paid), 'succeeded', 0],
  ] as const;
  for (const [key, body, payment_status, pages] of cases) {
    const first = await start(key, body);
    if (body.order_id === paid) {
      await simulator.pay(await findCheckout(first.body.next[0].url));
      await simulator.settled();
    }
    await forgetAnswers();
    service.advanceSeconds(8);
    const again = await start(key, body);
    assert.equal(isReplay(again), true);
    assert.deepEqual(
      { ...again.body, message: '', next: again.body.next.length },
      {
        order_id: body.order_id,
        transaction_id: first.body.transaction_id,
        payment_status,
        message: '',
        next: pages,
      },
    );
    if (pages === 1) assert.deepEqual(again.body, first.body);
  }
});

test('the reply to a repeated sealed request is sealed anew', async () => {
  const account = await openShop({ encryptedPayloads: true });
  const { order_id } = await create(account);
  const replies: Reply[] = [];
  for (let time = 1; time <= 2; time += 1) {
    const encrypted_payload = sealPayload(JSON.stringify(upi(order_id)), account.accessSecret);
    replies.push(await start('sealed', { encrypted_payload }, account.token));
  }
  const sealed = replies.map(({ body }) => body.encrypted_response);
  assert.notEqual(sealed[0], sealed[1]);
  const [first, again] = sealed.map((text) => String(openPayload(text, account.accessSecret)));
  assert.equal(again, first);
  assert.deepEqual(replies.map(isReplay), [false, true]);
});

test('after 24 hours a key is free again, whether the sweep has run or not', async () => {
  const body = upi(await createOrder());
  const first = await start('old', body);
  service.advanceSeconds(daySeconds - 60);
  assertReplayed(await start('old', body, await merchantToken()), first);
  service.advanceSeconds(120);
  const next = upi(await createOrder());
  const second = await start('old', next, await merchantToken());
  assert.deepEqual([second.status, isReplay(second)], [200, false]);
  assertReplayed(await start('old', next, await merchantToken()), second);
});

test('the sweep deletes keys that are older than 24 hours, and no others', async () => {
  await service.database.query({
    text: `insert into idempotency_keys
             (account_id, key_digest, scope, content_digest, order_id, transaction_id, created_at)
           select account_id, sha256(n::text::bytea), 'refund', sha256('x'), $2, $2, $1
             from accounts, generate_series(1, 600) n`,
    values: [service.services.clock(), await createOrder()],
  });
  service.advanceSeconds(daySeconds + 60);
  const body = upi(await createOrder());
  const first = await start('young', body, await merchantToken());
  await sweep(service.services);
  const { idempotency_keys: left } = await dumpTables(service.database);
  assert.equal(left?.length, 1);
  assertReplayed(await start('young', body, await merchantToken()), first);
});

test("neither the key nor the consumer's choice is stored or logged", async () => {
  const { idempotency_keys: rows } = await dumpTables(service.database);
  for (const secret of ['young', 'asha@okbank', shop.token]) {
    assert.ok(!JSON.stringify(rows).includes(secret), secret);
  }
  assert.ok(!service.logText().includes('two-orders'));
});

test('the invariants hold after all of this', async () => {
  await pay(await createOrder());
  await simulator.settled();
  await assertSound();
});

function upi(order_id: string) {
  return { order_id, payment_mode_code: 'upi', upi_id: 'asha@okbank' };
}

function card(order_id: string) {
  return { order_id, payment_mode_code: 'credit_card' };
}

function start(key: string | undefined, body: object, token = shop.token): Promise<Reply> {
  const headers: Record<string, string> = key === undefined ? {} : { 'idempotency-key': key };
  return service.call('/api/v3/initiate-payment', { token, headers, body });
}

function isReplay({ headers }: Reply): boolean {
  return headers.get('idempotent-replayed') === 'true';
}

/** Compares the JSON texts: the same fields in the same order. */
function assertReplayed(reply: Reply, first: Reply | undefined): void {
  assert.equal(isReplay(reply), true, JSON.stringify(reply.body));
  assert.equal(reply.status, first?.status);
  assert.equal(JSON.stringify(reply.body), JSON.stringify(first?.body));
}

/** Nothing was stored here, and no provider was called. */
async function assertNothingHappens(act: () => Promise<void>): Promise<void> {
  const before = [await dumpTables(service.database), calls.length];
  await act();
  assert.deepEqual([await dumpTables(service.database), calls.length], before);
}

/** The state that a process leaves when it ends during the call to the provider. */
async function forgetAnswers(): Promise<void> {
  await service.database.query({ text: 'update idempotency_keys set answer = null' });
}

async function merchantToken(): Promise<string> {
  const { accountId } = shop;
  return (await issueMerchantToken(service.services, accountId)).token;
}

async function create({ token }: TestAccount): Promise<{ order_id: string; token: string }> {
  const reply = await service.call('/api/v3/create-order', { token, body: orderBody() });
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  return reply.body;
}
