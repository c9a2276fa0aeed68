/** The body of a refused request is not read: neither an endless one nor one announced by `Expect`. */
import assert from 'node:assert/strict';
import { connect, type Socket } from 'node:net';
import { test } from 'node:test';
import { orderBody } from '../support/order-bodies.ts';
import { startTestService } from '../support/test-service.ts';

const service = await startTestService();
const { token, accountId } = await service.createAccount();

const paths = [`/api/v3/webhooks/partner/${accountId}`, '/api/v3/create-order', '/api/v3/nothing'];
for (const path of paths) {
  test(`${path}: a refused request with an endless body is answered, and its connection closed`, async () => {
    for (const header of ['transfer-encoding: chunked', 'content-length: 2000000000']) {
      const { socket, head } = await send(path, header);
      assert.match(head, /^HTTP\/1\.1 (401|404) /);
      assert.match(head, /connection: close/i);
      const chunk = Buffer.alloc(64 * 1024, 'a');
      let written = 0;
      while (!socket.destroyed && written < 64 * 1024 * 1024) {
        socket.write(
          header.includes('chunked')
            ? Buffer.concat([Buffer.from('10000\r\n'), chunk, Buffer.from('\r\n')])
            : chunk,
        );
        written += chunk.length;
        await new Promise((resolve) => setImmediate(resolve));
      }
      assert.ok(socket.destroyed, `${written} bytes were taken`);
    }
  });
}

test('a small body that is not read leaves the connection open', async () => {
  const { socket, head } = await send(paths[1] ?? '', 'content-length: 2');
  assert.match(head, /^HTTP\/1\.1 401 /);
  assert.doesNotMatch(head, /connection: close/i);
  socket.destroy();
});

test('a client that sends `Expect` is answered 100 only if its body is read', async () => {
  const expect = 'expect: 100-continue\r\ncontent-length: 10';
  const refused = await send('/api/v3/create-order', expect);
  assert.match(refused.head, /^HTTP\/1\.1 401 /);
  refused.socket.destroy();

  const body = JSON.stringify(orderBody());
  const wanted = await send(
    '/api/v3/create-order',
    `expect: 100-continue\r\nauthorization: Bearer ${token}\r\ncontent-length: ${Buffer.byteLength(body)}`,
  );
  assert.match(wanted.head, /^HTTP\/1\.1 100 Continue/);
  wanted.socket.write(body);
  const answer = await read(wanted.socket);
  assert.match(answer, /^HTTP\/1\.1 200 /);
  wanted.socket.destroy();
});

async function send(path: string, headers: string): Promise<{ socket: Socket; head: string }> {
  const { hostname, port } = new URL(service.baseUrl);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => socket.destroy());
  socket.write(`POST ${path} HTTP/1.1\r\nhost: service.test\r\n${headers}\r\n\r\n`);
  return { socket, head: await read(socket) };
}

function read(socket: Socket): Promise<string> {
  return new Promise((resolve) => socket.once('data', (bytes) => resolve(bytes.toString())));
}
