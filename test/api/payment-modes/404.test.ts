import { test } from 'node:test';
import { assertRefused } from '../assertions.ts';
import { startWithOrdersNotFound } from '../orders-not-found.ts';

const { service, notFound } = await startWithOrdersNotFound();

for (const { name, order_id, token } of notFound) {
  test(`${name} has no payment modes`, async () => {
    const reply = await service.call('/api/v3/payment-modes', { token, body: { order_id } });
    assertRefused(reply, 'ORDER_NOT_FOUND');
  });
}
