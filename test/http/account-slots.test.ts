/** The limit of expensive calls of one account, over real sockets. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import Fastify, { type FastifyRequest } from 'fastify';
import { limitPerAccount } from '../../src/http/dashboard/account-slots.ts';
import { sendError } from '../../src/http/error-reply.ts';
import { waitUntil } from '../../tools/harness/wait-until.ts';
import { callService } from '../support/test-service.ts';

const callsMax = 2;

test('beyond the limit a call is refused with Retry-After, and other accounts are served', async () => {
  const { baseUrl, held, release } = await startLimited();
  const calls = [callService(baseUrl, '/one'), callService(baseUrl, '/one')];
  await waitUntil('all slots are taken', () => held() === callsMax);
  const refused = await callService(baseUrl, '/one');
  assert.deepEqual([refused.status, refused.headers.get('retry-after')], [429, '2']);
  const { svc_error_code: code, svc_merchant_message: message } = refused.body.error;
  assert.equal(code, 'RATE_LIMITED');
  assert.match(message, /^Too many exports of this account .* wait a few seconds, then try again/);
  const others = callService(baseUrl, '/two');
  await waitUntil('the other account is served', () => held() === callsMax + 1);
  release();
  for (const { status } of await Promise.all([...calls, others])) assert.equal(status, 200);
  const again = callService(baseUrl, '/one');
  await waitUntil('a slot is free again', () => held() === 1);
  release();
  assert.equal((await again).status, 200);
});

test('a caller who leaves frees the slot', async () => {
  const { baseUrl, held, release } = await startLimited();
  const leaving = new AbortController();
  const call = fetch(`${baseUrl}/one`, { signal: leaving.signal }).catch(() => undefined);
  const other = callService(baseUrl, '/one');
  await waitUntil('all slots are taken', () => held() === callsMax);
  leaving.abort();
  await call;
  await waitUntil('the next call is served', async () => {
    const next = callService(baseUrl, '/one');
    const isRefused = next.then(({ status }) => status === 429);
    const isHeld = waitUntil('it is held', () => held() === callsMax + 1, 1).then(
      () => false,
      () => true,
    );
    return !(await Promise.race([isRefused, isHeld]));
  });
  release();
  assert.equal((await other).status, 200);
});

async function startLimited() {
  const app = Fastify({ forceCloseConnections: true });
  let waiting: Array<() => void> = [];
  app.setErrorHandler(sendError);
  app.addHook('onRequest', async (request) => {
    const account = { accountId: request.url };
    request.signedIn = { account } as FastifyRequest['signedIn'];
  });
  const preHandler = limitPerAccount(callsMax, 'exports');
  for (const path of ['/one', '/two']) {
    app.get(path, { preHandler }, async () => {
      await new Promise<void>((go) => waiting.push(go));
      return {};
    });
  }
  const baseUrl = await app.listen({ host: '127.0.0.1', port: 0 });
  after(() => app.close());
  const release = () => {
    for (const go of waiting) go();
    waiting = [];
  };
  return { baseUrl, held: () => waiting.length, release };
}
