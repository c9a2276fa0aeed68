import assert from 'node:assert/strict';
import { test } from 'node:test';
import { orderBody } from '../../support/order-bodies.ts';
import { startTestService } from '../../support/test-service.ts';
import { assertRefused } from '../assertions.ts';

const service = await startTestService();
const { token } = await service.createAccount();

test('of two concurrent consumers one wins: its calls are answered 200, the others 409', async () => {
  for (let round = 1; round <= 5; round += 1) {
    const { order_id } = (await call('create-order', orderBody())).body;
    const numbers = ['9000000001', '9000000002'];
    const calls = Array.from({ length: 20 }, (_, index) => numbers[index % 2] ?? '');
    const replies = await Promise.all(
      calls.map((mobile_number) => call('resolve-user', { order_id, mobile_number })),
    );
    const won = new Set(calls.filter((_, index) => replies[index]?.status === 200));
    assert.equal(won.size, 1, [...won].join());
    for (const [index, reply] of replies.entries()) {
      if (won.has(calls[index] ?? '')) {
        assert.equal(reply.status, 200);
        assert.equal(String(reply.body.user.mobile_number), calls[index]);
      } else assertRefused(reply, 'ORDER_CONFLICT', 'another consumer');
    }
    const { body } = await service.call(`/api/v3/order?order_id=${order_id}`, { token });
    assert.ok(won.has(String(body.user.mobile_number)));
  }
});

function call(name: string, body: Record<string, unknown>) {
  return service.call(`/api/v3/${name}`, { token, body });
}
