import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startJourney } from '../../support/journey.ts';
import { visit } from '../../support/returns.ts';
import { makePaymentsNotFound } from '../payments-not-found.ts';

const journey = await startJourney();
const { service, shop, createOrder, initiate } = journey;

test('what was not started here is unknown, whoever it belongs to', async () => {
  for (const [accountId, transactionId] of await makePaymentsNotFound(journey)) {
    const path = `/pay/${accountId}/${encodeURIComponent(transactionId)}/return`;
    const { status, text, headers } = await visit(`${service.baseUrl}${path}`);
    assert.equal(status, 404, transactionId);
    assert.equal(headers.get('content-type'), 'text/html; charset=utf-8');
    assert.match(text, /There is no such payment/);
    assert.doesNotMatch(text, /<form|<script|<a /);
  }
});

test('the page supports GET and POST only', async () => {
  const { transaction_id } = (await initiate(await createOrder())).body;
  const path = `/pay/${shop.accountId}/${transaction_id}/return`;
  for (const method of ['PUT', 'DELETE', 'PATCH', 'OPTIONS']) {
    const reply = await service.call(path, { method });
    assert.equal(reply.status, 405);
    assert.equal(reply.headers.get('allow'), 'GET, HEAD, POST');
  }
});
