import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type JourneyShop, startJourney } from '../../support/journey.ts';
import { orderBody } from '../../support/order-bodies.ts';
import { storeCallback } from '../../support/stored-orders.ts';

const { service, openShop, assertSound } = await startJourney();
const listed = await openShop({ callbackOrigins: ['https://shop.example'] });
const unlisted = await openShop();
const shop = 'https://shop.example/back';
const elsewhere = 'https://elsewhere.example/back';

test('a merchant token sets any address and mode, at every call', async () => {
  for (const account of [listed, unlisted]) {
    const { order_id } = await create(account, { callback_url: shop, callback_mode: 'popup' });
    const { token } = account;
    const changes = { callback_url: elsewhere, callback_mode: 'callback_url_post' };
    await call('update-order', token, { order_id, ...changes });
    assert.deepEqual(await stored(order_id), [elsewhere, 'callback_url_post']);
    await call('initiate-payment', token, { ...upi(order_id), callback_url: `${elsewhere}/2` });
    assert.deepEqual(await stored(order_id), [elsewhere, 'callback_url_post']);
  }
});

test('an order token sets an address with a listed origin, and a mode with it', async () => {
  const { order_id, token } = await create(listed, { callback_url: elsewhere });
  await call('update-order', token, { order_id, callback_url: shop });
  assert.deepEqual(await stored(order_id), [shop, null]);
  await call('update-order', token, { order_id, callback_mode: 'callback_url_post' });
  assert.deepEqual(await stored(order_id), [shop, 'callback_url_post']);
  await call('initiate-payment', token, { ...upi(order_id), callback_url: `${shop}/2` });
});

test('without a list an order token sets the first address, and may repeat it', async () => {
  const { order_id, token } = await create(unlisted, {});
  await call('initiate-payment', token, { ...upi(order_id), callback_url: elsewhere });
  await call('update-order', token, { order_id, callback_url: shop, callback_mode: 'x' });
  assert.deepEqual(await stored(order_id), [shop, 'x']);
  await call('update-order', token, { order_id, callback_url: shop, callback_mode: 'x' });
  await call('initiate-payment', token, { ...upi(order_id), callback_url: shop });
});

test('an old order with the address of an app can still be updated and paid', async () => {
  const { order_id, token } = await create(unlisted, {});
  await storeCallback(service, order_id, 'shopapp://paid');
  await call('update-order', token, { order_id, shipping_address: { city: 'Pune' } });
  await call('update-order', token, { order_id, callback_url: 'shopapp://paid' });
  await call('update-order', unlisted.token, { order_id, description: 'Tea' });
  await call('initiate-payment', token, upi(order_id));
  assert.deepEqual(await stored(order_id), ['shopapp://paid', null]);
});

test('the invariants hold after all of this', assertSound);

function upi(order_id: string) {
  return { order_id, payment_mode_code: 'upi', upi_id: 'asha@okbank' };
}

async function create(account: JourneyShop, changes: object) {
  return call('create-order', account.token, orderBody({ ...changes }));
}

async function call(path: string, token: string, body: object) {
  const reply = await service.call(`/api/v3/${path}`, { token, body });
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  return reply.body;
}

async function stored(orderId: string) {
  const { rows } = await service.database.query<{ details: Record<string, string> }>({
    text: 'select details from orders where order_id = $1',
    values: [orderId],
  });
  const details = rows[0]?.details;
  return [details?.callbackUrl ?? null, details?.callbackMode ?? null];
}
