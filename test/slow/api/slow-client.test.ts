import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { test } from 'node:test';
import { startTestService } from '../../support/test-service.ts';

const service = await startTestService();
const account = await service.createAccount();

test("a request whose headers or body never end is refused in time with the contract's error body", async () => {
  const head = 'POST /api/v3/create-order HTTP/1.1\r\nHost: x\r\n';
  const body = `Authorization: Bearer ${account.token}\r\nContent-Length: 100\r\n\r\n{"invoice_id"`;
  const replies = await Promise.all([sendHalf(head), sendHalf(head + body)]);
  for (const text of replies) {
    assert.match(text, /^HTTP\/1\.1 400 /);
    const { error } = JSON.parse(text.split('\r\n\r\n')[1] ?? '');
    assert.equal(error.svc_error_code, 'INVALID_REQUEST_PARAMETER');
    assert.match(error.svc_merchant_message, /did not arrive in time/);
  }
});

/** Sends the beginning of a request and waits until the service closes. */
function sendHalf(bytes: string): Promise<string> {
  const { hostname, port } = new URL(service.baseUrl);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write(bytes));
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk.toString();
    });
    socket.on('error', reject);
    socket.on('close', () => resolve(text));
  });
}
