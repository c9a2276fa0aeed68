import { test } from 'node:test';
import { orderBody } from '../../support/order-bodies.ts';
import { startTestService } from '../../support/test-service.ts';
import {
  assertLargestIsRead,
  assertOneMoreIsRefused,
  assertRefusedWithoutLength,
} from '../public-body-limit.ts';

const service = await startTestService();
const { token } = await service.createAccount();
const order = await service.call('/api/v3/create-order', { token, body: orderBody() });
const operation = {
  service,
  path: '/api/v3/refresh-token',
  fields: { refresh_token: order.body.refresh_token },
};

test('a body of exactly 8 KiB is read', () => assertLargestIsRead(operation));

test('one byte more is refused without a token', () => assertOneMoreIsRefused(operation));

test('one byte more is refused with a merchant token', () =>
  assertOneMoreIsRefused({ ...operation, token }));

test('a body that does not say its length is refused all the same', () =>
  assertRefusedWithoutLength(operation));
