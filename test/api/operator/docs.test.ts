import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTestService } from '../../support/test-service.ts';

const service = await startTestService();

/** Without redirects, and with exactly this encoding accepted. */
const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(`${service.baseUrl}${path}`, {
    redirect: 'manual',
    headers: { 'accept-encoding': 'identity', ...headers },
  });

test('the document and the files of its page are sent compressed, and with the same content', async () => {
  for (const path of ['/openapi.json', '/docs/', '/docs/start.js', await findScript()]) {
    const plain = await get(path);
    assert.equal(plain.headers.get('content-encoding'), null, path);
    const text = await plain.text();
    for (const encoding of ['br', 'gzip']) {
      const reply = await get(path, { 'accept-encoding': `${encoding}, identity;q=0.5` });
      assert.equal(reply.headers.get('content-encoding'), encoding, path);
      assert.equal(reply.headers.get('vary'), 'accept-encoding', path);
      assert.ok(Number(reply.headers.get('content-length')) <= Buffer.byteLength(text), path);
      assert.equal(await reply.text(), text, `${path} in ${encoding}`);
    }
    const refused = await get(path, { 'accept-encoding': 'br;q=0, gzip;q=0.0' });
    assert.equal(refused.headers.get('content-encoding'), null, path);
  }
});

test('a browser that has a file already gets 304, and another encoding is another file', async () => {
  for (const path of ['/openapi.json', '/docs/', '/docs/start.js', await findScript()]) {
    const first = await get(path);
    await first.arrayBuffer();
    const etag = first.headers.get('etag') ?? '';
    assert.match(etag, /^"[\w-]+"$/, path);
    for (const known of [etag, `W/${etag}`, `"x", ${etag}`, '*']) {
      const again = await get(path, { 'if-none-match': known });
      assert.equal(again.status, 304, `${path} ${known}`);
      assert.equal(await again.text(), '');
      assert.equal(again.headers.get('etag'), etag);
    }
    const other = { 'if-none-match': etag, 'accept-encoding': 'br' };
    const changed = await get(path, other);
    assert.equal(changed.status, 200, path);
    await changed.arrayBuffer();
  }
});

test('only the script, whose URL names its content, is kept without asking again', async () => {
  const script = await get(await findScript());
  assert.match(script.headers.get('cache-control') ?? '', /max-age=31536000, immutable/);
  await script.arrayBuffer();
  const old = await get('/docs/scalar/older.js');
  assert.deepEqual([old.status, old.headers.get('cache-control')], [200, 'no-cache']);
  await old.arrayBuffer();
});

test('/ leads to the docs, except for callers who want no page, and for checkouts', async () => {
  const browser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
  for (const headers of [browser, {}, { accept: '*/*' }]) {
    const home = await get('/', headers);
    assert.deepEqual([home.status, home.headers.get('location')], [302, 'docs/']);
  }
  assert.equal((await get('/docs')).headers.get('location'), 'docs/');
  assert.equal((await get('/', { accept: 'application/json' })).status, 404);
  const posted = await service.call('/', { method: 'POST' });
  assert.deepEqual([posted.status, posted.headers.get('allow')], [405, 'GET, HEAD']);
  const checkout = await get('/?token=x', browser);
  assert.deepEqual([checkout.status, checkout.headers.get('location')], [303, 'checkout?token=x']);
});

async function findScript(): Promise<string> {
  const page = await (await get('/docs/')).text();
  const [, path] = /src="(scalar\/[\w-]+\.js)"/.exec(page) ?? assert.fail('no script');
  return `/docs/${path}`;
}
