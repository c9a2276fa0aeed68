/** What one account can have in progress on the dashboard, while the others are served. Contract 8.10 and 12.2. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bounds } from '../../../src/http/bounds.ts';
import { waitUntil } from '../../../tools/harness/wait-until.ts';
import { codeOf, join } from '../../support/dashboard.ts';
import { lockOrders } from '../../support/lock-orders.ts';
import { orderBody } from '../../support/order-bodies.ts';
import { addEndpoint, holdAnswers, startShopEndpoint } from '../../support/shop-endpoint.ts';
import { startTestService } from '../../support/test-service.ts';

const service = await startTestService();
const shop = await service.createAccount();
const other = await service.createAccount();
const operator = await join(service, shop.accountId, 'operator');
const colleague = await join(service, shop.accountId, 'operator');
const stranger = await join(service, other.accountId, 'operator');
const receiver = await startShopEndpoint();
const endpoint = await addEndpoint(service, shop.accountId, receiver.url);
const testPath = `/endpoints/${endpoint.endpointId}/test`;
const limited = [429, 'RATE_LIMITED'];

test('an account has one test of an endpoint in progress, and ten a minute; refused ones do not count', async () => {
  const held = holdAnswers();
  receiver.answer = held.answer;
  for (let tests = 0; tests < 10; tests += 1) {
    const testing = operator.post(testPath);
    await waitUntil('the receiver has it', () => held.count() === 1);
    if (tests === 0) {
      const refused = await colleague.post(testPath);
      assert.deepEqual(codeOf(refused), limited);
      assert.equal(refused.headers.get('retry-after'), '2');
    }
    held.release();
    assert.equal((await testing).status, 200);
  }
  const eleventh = await colleague.post(testPath);
  assert.deepEqual(codeOf(eleventh), limited);
  assert.match(eleventh.body.error.svc_merchant_message, /^Endpoints can be tested 10 times a min/);
  assert.ok(Number(eleventh.headers.get('retry-after')) > 50);
  assert.equal(held.count(), 0);
  service.advanceSeconds(60);
  const later = operator.post(testPath);
  await waitUntil('the receiver has it', () => held.count() === 1);
  held.release();
  assert.equal((await later).status, 200);
});

test('a test of an endpoint that is not there does not count', async () => {
  const unknown = testPath.replace(/.{4}\/test$/, '0000/test');
  for (let tests = 0; tests < 11; tests += 1) {
    assert.deepEqual(codeOf(await stranger.post(testPath)), [404, 'NOT_FOUND']);
    assert.deepEqual(codeOf(await operator.post(unknown)), [404, 'NOT_FOUND']);
  }
  receiver.answer = (reply) => void reply.end('ok');
  assert.equal((await operator.post(testPath)).status, 200);
});

test('searches, lists and why share their slots, and other accounts have their own', async (t) => {
  const { order_id: orderId } = await createOrder();
  const release = await lockOrders(service.database, t);
  const waiting = [
    operator.get('/orders'),
    operator.get(`/orders/${orderId}/why`),
    ...Array.from({ length: bounds.search.waitingMax }, () => colleague.get('/search?text=x')),
  ];
  const beyond = await Promise.race(
    Array.from({ length: 3 }, () => operator.get(`/orders/${orderId}/why.txt`)),
  );
  assert.deepEqual(codeOf(beyond), limited);
  // Cheap calls of the same account have slots of their own.
  assert.equal((await operator.get('/session')).status, 200);
  assert.equal((await stranger.get('/audit')).status, 200);
  await release();
  // On a machine that is too busy the database is waited for in vain.
  const admitted = (await Promise.all(waiting)).filter(({ status }) => status !== 429);
  assert.ok(admitted.length >= bounds.search.inProgressMax, `${admitted.length} were admitted`);
});

async function createOrder() {
  const { token } = shop;
  return (await service.call('/api/v3/create-order', { token, body: orderBody() })).body;
}
