import { test } from 'node:test';
import { startTestService } from '../../support/test-service.ts';
import {
  assertLargestIsRead,
  assertOneMoreIsRefused,
  assertRefusedWithoutLength,
} from '../public-body-limit.ts';

const service = await startTestService();
const { accessKey, accessSecret } = await service.createAccount();
const operation = {
  service,
  path: '/api/v3/generate-token',
  fields: { access_key: accessKey, access_secret: accessSecret },
};

test('a body of exactly 8 KiB is read', () => assertLargestIsRead(operation));

test('one byte more is refused', () => assertOneMoreIsRefused(operation));

test('a body that does not say its length is refused all the same', () =>
  assertRefusedWithoutLength(operation));
