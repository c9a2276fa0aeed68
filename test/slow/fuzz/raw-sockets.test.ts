import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { type FuzzReply, type FuzzRequest, readReply } from '../../support/fuzz-client.ts';
import { assertSound } from '../../support/fuzz-run.ts';
import { orderBody } from '../../support/order-bodies.ts';
import { startTestService } from '../../support/test-service.ts';

const service = await startTestService();
const account = await service.createAccount();
const secrets = [account.token, account.accessSecret, account.partnerWebhookSecret];
const authorization = `Authorization: Bearer ${account.token}`;
const post = 'POST /api/v3/create-order HTTP/1.1';
/** Headers of a request after which the service closes the connection. */
const last = 'Connection: close';
const chunked = 'Transfer-Encoding: chunked';

/** A second request hidden in the body: it must neither be answered nor create an order. */
const hidden = JSON.stringify(orderBody({ invoice_id: 'SMUGGLED' }));
const smuggled = `${head(post, last, authorization, `Content-Length: ${hidden.length}`)}${hidden}`;

const smuggling: [name: string, bytes: string][] = [
  ['a length before chunks', `${head(post, 'Content-Length: 6', chunked)}0\r\n\r\n${smuggled}`],
  ['chunks before a length', `${head(post, chunked, 'Content-Length: 6')}0\r\n\r\n${smuggled}`],
  ['two lengths', head(post, 'Content-Length: 0', 'Content-Length: 5') + smuggled],
  ['two equal lengths', head(post, 'Content-Length: 0', 'Content-Length: 0') + smuggled],
  ['a list of lengths', head(post, 'Content-Length: 0, 5') + smuggled],
  ['a negative length', head(post, 'Content-Length: -1') + smuggled],
  ['a signed length', head(post, 'Content-Length: +0') + smuggled],
  ['a hexadecimal length', head(post, 'Content-Length: 0x0') + smuggled],
  ['a huge length', head(post, `Content-Length: ${'9'.repeat(30)}`) + smuggled],
  ['an empty length', head(post, 'Content-Length: ') + smuggled],
  ['chunks twice', `${head(post, 'Transfer-Encoding: chunked, chunked')}0\r\n\r\n${smuggled}`],
  ['chunks that are not last', `${head(post, `${chunked}, identity`)}0\r\n\r\n${smuggled}`],
  ['chunks in disguise', `${head(post, 'Transfer-Encoding: xchunked')}0\r\n\r\n${smuggled}`],
  ['chunks behind a tab', `${head(post, 'Transfer-Encoding:\x0bchunked')}0\r\n\r\n${smuggled}`],
  ['a space before the colon', head(post, 'Content-Length : 5') + smuggled],
  ['chunks before a spaced colon', head(post, 'Transfer-Encoding : chunked') + smuggled],
  ['a folded header', `${head(post, 'Transfer-Encoding:\r\n chunked')}0\r\n\r\n${smuggled}`],
  ['a folded first header', `${post}\r\n Host: x\r\n\r\n${smuggled}`],
  ['bare line feeds', head(post, 'X: y').replaceAll('\r\n', '\n') + smuggled],
  ['a bare line feed in a header', head(post, `X: y\n${chunked}`) + smuggled],
  ['a bare carriage return', head(post, `X: y\r${chunked}`) + smuggled],
  ['a NUL in a header', head(post, 'X: y\0z') + smuggled],
  ['a NUL in a name', head(post, 'X\0: y') + smuggled],
  ['a chunk size with a sign', `${head(post, chunked)}+0\r\n\r\n${smuggled}`],
  ['a chunk size with 0x', `${head(post, chunked)}0x0\r\n\r\n${smuggled}`],
  ['a chunk size that wraps', `${head(post, chunked)}10000000000000000\r\n${smuggled}`],
  ['a chunk size with a space', `${head(post, chunked)}0 \r\n\r\n${smuggled}`],
  ['a chunk longer than announced', `${head(post, chunked)}1\r\n{}\r\n0\r\n\r\n${smuggled}`],
  ['a chunk ended by a line feed', `${head(post, chunked)}2\n{}\n0\n\n${smuggled}`],
  ['a chunk extension without end', `${head(post, chunked)}0;${'x'.repeat(70_000)}`],
  ['no length at all for HTTP/9', head(post.replace('1.1', '9.9'), 'X: y') + smuggled],
  ['a version in small letters', head(post.replace('HTTP', 'http'), 'X: y') + smuggled],
  ['a method of nobody', head('OWN /api/v3/order HTTP/1.1', 'X: y') + smuggled],
  ['a method without end', `${'X'.repeat(100_000)} / HTTP/1.1\r\n\r\n`],
  ['a connection to elsewhere', head('CONNECT evil.example:443 HTTP/1.1', 'X: y') + smuggled],
  ['a target with spaces', head('GET /api/v3/order x HTTP/1.1', 'X: y') + smuggled],
  ['a target beyond all headers', head(`GET /${'x'.repeat(40_000)} HTTP/1.1`, 'X: y')],
  ['headers beyond the limit', head(post, `X: ${'y'.repeat(40_000)}`)],
  ['headers without end', `${post}\r\n${'X: y\r\n'.repeat(20_000)}`],
];

for (const [name, bytes] of smuggling) {
  test(`${name}: refused or closed, and no hidden request is executed`, async () => {
    for (const reply of await exchange(bytes)) {
      assertSound(asRequest, reply, { secrets });
      assert.ok(reply.status >= 400, `${reply.status} ${reply.text}`);
    }
    assert.equal(await countOrders(), 0);
    await assertAnswersNext();
  });
}

const echoed = [
  'a%0d%0ax-evil: 1',
  'a\\r\\nx-evil: 1',
  'a\u0085x-evil: 1',
  'a\u560dx-evil: 1',
  '"',
  'é',
  'a\tb',
  'x'.repeat(9_000),
  '<script>',
  '../../../..',
  '%00',
];
for (const value of echoed) {
  test(`x-request-id ${JSON.stringify(value.slice(0, 20))} cannot inject a header`, async () => {
    const bytes = Buffer.from(
      head('GET /healthz HTTP/1.1', last, `X-Request-Id: ${value}`),
      'latin1',
    );
    const [reply, ...others] = await exchange(bytes);
    assert.ok(reply);
    assert.equal(others.length, 0);
    assertSound({ ...asRequest, method: 'GET' }, reply, { secrets });
    assert.notEqual(reply.headers.get('x-request-id'), value);
  });
}

test('a line break in an echoed value cannot inject a header', async () => {
  for (const lineBreak of ['\r\n', '\n', '\r']) {
    const replies = await exchange(
      head('GET /healthz HTTP/1.1', `X-Request-Id: a${lineBreak}X-Evil: 1`),
    );
    for (const { headers } of replies) assert.equal(headers.get('x-evil'), undefined);
  }
  await assertAnswersNext();
});

test('a compressed body is never decompressed and is refused as invalid JSON', async () => {
  const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024, ' '));
  const good = gzipSync(JSON.stringify(orderBody({ invoice_id: 'SMUGGLED' })));
  for (const encoding of ['gzip', 'deflate', 'br', 'gzip, gzip']) {
    for (const body of [bomb, good]) {
      const lines = [last, authorization, `Content-Encoding: ${encoding}`];
      const start = head(post, ...lines, `Content-Length: ${body.length}`);
      const [reply] = await exchange(Buffer.concat([Buffer.from(start), body]));
      assert.ok(reply);
      assertSound(asRequest, reply, { secrets });
      assert.equal(reply.status, 400);
    }
  }
  assert.equal(await countOrders(), 0);
});

test('a body beyond the limit is refused by its declared length, or as soon as it exceeds the limit', async () => {
  const byLength = await exchange(head(post, authorization, 'Content-Length: 300000'));
  const chunk = `8000\r\n${' '.repeat(0x8000)}\r\n`;
  const byChunks = await exchange(head(post, authorization, chunked) + chunk.repeat(9));
  for (const reply of [byLength[0], byChunks[0]]) {
    assert.ok(reply);
    assertSound(asRequest, reply, { secrets });
    assert.equal(reply.status, 413);
  }
  await assertAnswersNext();
});

test('pipelined requests are answered one by one, in order', async () => {
  const ids = Array.from({ length: 20 }, (_, index) => `pipelined-${index}`);
  const requests = ids.map((id, index) => {
    const body = index % 2 ? '{"order_id":"o_0000000000000000"}' : '{}';
    const lines = [authorization, `X-Request-Id: ${id}`, `Content-Length: ${body.length}`];
    return head('POST /api/v3/transaction-enquiry HTTP/1.1', ...lines) + body;
  });
  const replies = await exchange(requests.join(''));
  assert.deepEqual(
    replies.map(({ status, headers }) => [headers.get('x-request-id'), status]),
    ids.map((id, index) => [id, index % 2 ? 404 : 400]),
  );
});

test('a request of HTTP/1.0 is answered, and its connection closed', async () => {
  const [reply, ...others] = await exchange('GET /healthz HTTP/1.0\r\n\r\n');
  assert.equal(reply?.status, 200);
  assert.equal(reply.headers.get('connection'), 'close');
  assert.equal(others.length, 0);
});

test('clients that disconnect in the middle of a request do not affect the service', async () => {
  const whole = head(post, authorization, `Content-Length: ${hidden.length}`) + hidden;
  const cuts = Array.from({ length: 60 }, (_, index) => Math.floor((whole.length * index) / 60));
  await Promise.all(cuts.map((length) => sendAndLeave(whole.slice(0, length))));
  assert.equal(await countOrders(), 0);
  await assertAnswersNext();
});

/** The checks of its replies. */
const asRequest: FuzzRequest = { method: 'POST', target: '/api/v3/create-order', headers: {} };

function head(line: string, ...headers: readonly string[]): string {
  return `${[line, 'Host: service.test', ...headers].join('\r\n')}\r\n\r\n`;
}

const quietMs = 400;

/** Everything the service answers to these bytes until it closes the connection or goes silent. */
function exchange(bytes: string | Buffer): Promise<FuzzReply[]> {
  const { hostname, port } = new URL(service.baseUrl);
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    const socket = connect(Number(port), hostname, () => socket.write(bytes));
    // The service waits for more: the rest of a request, or another one on a kept-alive connection.
    socket.setTimeout(quietMs, () => socket.destroy());
    socket.on('data', (chunk) => chunks.push(chunk));
    // A service that refuses early may close while we still send.
    socket.on('error', () => socket.destroy());
    socket.on('close', () => resolve(readReplies(Buffer.concat(chunks))));
  });
}

function readReplies(bytes: Buffer): FuzzReply[] {
  const reply = bytes.length === 0 ? undefined : readReply(bytes);
  if (!reply) return [];
  const length = bytes.indexOf('\r\n\r\n') + 4 + Buffer.byteLength(reply.text);
  return [reply, ...readReplies(bytes.subarray(length))];
}

function sendAndLeave(bytes: string): Promise<void> {
  const { hostname, port } = new URL(service.baseUrl);
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname, () =>
      socket.write(bytes || ' ', () => socket.resetAndDestroy()),
    );
    socket.on('error', () => {});
    socket.on('close', () => resolve());
  });
}

async function countOrders(): Promise<number> {
  const { rows } = await service.database.query({ text: 'select from orders' });
  return rows.length;
}

async function assertAnswersNext(): Promise<void> {
  assert.equal((await service.call('/healthz')).status, 200);
}
