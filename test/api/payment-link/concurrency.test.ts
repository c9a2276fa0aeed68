/** Concurrent requests for one invoice make one order and one link. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { orderBody } from '../../support/order-bodies.ts';
import { type Reply, startTestService } from '../../support/test-service.ts';
import { assertRefused, withoutTokens } from '../assertions.ts';

const service = await startTestService();
const account = await service.createAccount();

test('fifty concurrent identical requests make one order, one link and fifty equal replies', async () => {
  const body = orderBody();
  const replies = await sendFifty(() => ['payment-link', body]);
  for (const reply of replies) {
    assert.equal(reply.status, 200, JSON.stringify(reply.body));
    assert.deepEqual(withoutTokens(reply.body), withoutTokens(replies[0]?.body));
  }
  assert.equal(replies.filter(isReplay).length, 49);
  assert.deepEqual(await linksOf(body), [replies[0]?.body.payment_link.slice(-32)]);
});

test('fifty concurrent links and creates with the same content make one order and one link', async () => {
  const body = orderBody();
  const replies = await sendFifty((index) => [
    index % 2 === 0 ? 'payment-link' : 'create-order',
    body,
  ]);
  for (const reply of replies) assert.equal(reply.status, 200, JSON.stringify(reply.body));
  assert.equal(new Set(replies.map((reply) => reply.body.order_id)).size, 1);
  assert.equal(replies.filter(isReplay).length, 49);
  const links = new Set(replies.flatMap(({ body: { payment_link } }) => payment_link ?? []));
  assert.deepEqual(
    [...links].map((link) => link.slice(-32)),
    await linksOf(body),
  );
});

test('fifty concurrent links for an order without one add one link', async () => {
  const body = orderBody();
  await service.call('/api/v3/create-order', { token: account.token, body });
  const replies = await sendFifty(() => ['payment-link', body]);
  const links = new Set(replies.map((reply) => reply.body.payment_link?.slice(-32)));
  assert.deepEqual([...links], await linksOf(body));
});

test('of fifty concurrent links with one invoice and different contents one succeeds', async () => {
  const body = orderBody();
  const replies = await sendFifty((index) => [
    'payment-link',
    { ...body, description: `content ${index}` },
  ]);
  const [won, ...others] = replies.filter(({ status }) => status === 200);
  assert.deepEqual(others, []);
  for (const reply of replies) {
    if (reply !== won) assertRefused(reply, 'DUPLICATE_INVOICE_ID', String(body.invoice_id));
  }
  assert.deepEqual(await linksOf(body), [won?.body.payment_link.slice(-32)]);
});

function sendFifty(
  build: (index: number) => readonly [path: string, body: Record<string, unknown>],
): Promise<Reply[]> {
  return Promise.all(
    Array.from({ length: 50 }, (_, index) => {
      const [path, body] = build(index);
      return service.call(`/api/v3/${path}`, { token: account.token, body });
    }),
  );
}

function isReplay({ headers }: Reply): boolean {
  return headers.get('idempotent-replayed') === 'true';
}

/** The links of all orders of the invoice. */
async function linksOf({ invoice_id }: Record<string, unknown>): Promise<string[]> {
  const { rows } = await service.database.query<{ link_id: string }>({
    text: `select link_id from orders left join payment_links using (account_id, order_id)
            where invoice_id = $1`,
    values: [invoice_id],
  });
  return rows.map(({ link_id }) => link_id);
}
