import { test } from 'node:test';
import { assertRefused } from '../assertions.ts';
import { startWithOrdersNotFound } from '../orders-not-found.ts';
import { lists } from './lists.ts';

const { service, notFound } = await startWithOrdersNotFound();

for (const { path } of lists) {
  for (const { name, order_id, token } of notFound) {
    test(`${name} is not found by ${path}`, async () => {
      const reply = await service.call(path, { token, body: { order_id } });
      assertRefused(reply, 'ORDER_NOT_FOUND');
    });
  }
}
