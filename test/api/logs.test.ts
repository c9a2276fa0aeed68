import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { type TestContext, test } from 'node:test';
import { createMetrics } from '../../src/http/operator/metrics.ts';
import { type Database, openDatabase } from '../../src/postgres/database.ts';
import { buildApp } from '../../src/process/app.ts';
import { createServices } from '../../src/process/create-services.ts';
import { createLog } from '../../src/process/log.ts';
import { addressBody, fullOrderBody } from '../support/order-bodies.ts';
import { checkingAccounts } from '../support/test-account.ts';
import { callService, startTestService, testMasterKeyHex } from '../support/test-service.ts';
import { assertRefused } from './assertions.ts';
import { sendBytes } from './raw-http.ts';
import { listRoutes, requestTo } from './routes.ts';

const service = await startTestService();
const account = await service.createAccount(checkingAccounts);
const routes = await listRoutes(service);

/** Values that must not occur in any log line, not even as part of another text. */
const personal = {
  email: 'private-person@example.com',
  mobileNumber: '9123456780',
  firstName: 'Privatefirst',
  lastName: 'Privatelast',
  accountNumber: '77665544332211',
  place: 'Privateplace',
  card: '4111111111111111',
  attribute: 'private-attribute',
};
const body = fullOrderBody({
  user: {
    email: personal.email,
    first_name: personal.firstName,
    last_name: personal.lastName,
    mobile_number: personal.mobileNumber,
  },
  shipping_address: addressBody(personal.place),
  bank_account: { account_number: personal.accountNumber, ifsc: 'SBIN0001234' },
  custom_attributes: { note: personal.attribute },
  description: personal.card,
});
const created = await service.call('/api/v3/create-order', { token: account.token, body });
const secrets = [
  ...Object.values(personal),
  account.accessSecret,
  account.partnerWebhookSecret,
  account.bankGatewaySecret,
  account.token,
  created.body.token,
  created.body.refresh_token,
  testMasterKeyHex,
];

test('no log line contains a secret, a token or personal data, whatever is called', async () => {
  assert.equal(created.status, 200);
  const good = {
    ...body,
    order_id: created.body.order_id,
    access_key: account.accessKey,
    access_secret: account.accessSecret,
    refresh_token: created.body.refresh_token,
  };
  const variants = [
    good,
    { ...good, invoice_id: personal.email },
    { ...good, access_secret: `${account.accessSecret}x`, refresh_token: account.token },
    { ...good, user: personal.mobileNumber, access_key: {}, refresh_token: [account.token] },
    { ...good, currency: personal.card, access_key: account.accessSecret },
    { ...good, [personal.email]: personal.accountNumber, total_amount: personal.mobileNumber },
    { ...good, invoice_id: created.body.token, order_id: created.body.token },
  ];
  for (const route of routes) {
    for (const fields of variants) {
      for (const token of [account.token, created.body.token, created.body.refresh_token, '']) {
        const { target, method, body: sent } = requestTo(route, fields);
        const reply = await service.call(target, {
          method,
          token,
          body: sent,
          headers: { cookie: account.token, 'x-request-id': personal.email },
        });
        assert.ok(reply.status < 500, JSON.stringify(reply.body));
      }
    }
    const text = JSON.stringify(good);
    for (const broken of [text.slice(0, -1), `${text}${text}`, text.padEnd(300 * 1024, ' ')]) {
      const { method, path } = route;
      if (method === 'GET') continue;
      await service.call(path, { method, token: account.token, body: broken });
    }
  }
  await service.call(`/${account.token}?access_secret=${account.accessSecret}`);
  await sendBytes(service.baseUrl, `GARBAGE ${account.token} ${personal.email}\r\n\r\n`);
  await sendBytes(
    service.baseUrl,
    `GET /%zz${account.token} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`,
  );
  assertNothingPrivate(service.logText());
});

test('at the level debug every request is logged with its route and outcome', async () => {
  const reply = await service.call('/api/v3/order?invoice_id=none', { token: account.token });
  const lines = service.logText().trim().split('\n');
  const own = lines
    .map((line) => JSON.parse(line))
    .find(
      ({ request_id, msg }) =>
        request_id === reply.headers.get('x-request-id') && msg === 'request',
    );
  const { time: _time, duration_ms, ...rest } = own;
  assert.ok(duration_ms >= 0);
  assert.deepEqual(rest, {
    level: 'debug',
    request_id: reply.headers.get('x-request-id'),
    method: 'GET',
    route: '/api/v3/order',
    status: 404,
    account_id: account.accountId,
    msg: 'request',
  });
});

test('without a database a call is answered 503 with Retry-After and no internal details', async (t) => {
  const database = openDatabase({ connectionString: service.url });
  const failing = await startApplication(t, database);
  const read = await failing.call('GET');
  assert.equal(read.status, 200, 'its keys are read while the database is there');
  await database.close();

  for (const method of ['GET', 'POST'] as const) {
    const reply = await failing.call(method);
    assertRefused(reply, 'SERVICE_UNAVAILABLE');
    assert.equal(reply.headers.get('retry-after'), '1');
  }
  assert.match(failing.logText(), /"code":"SERVICE_UNAVAILABLE"/);
  assertNothingPrivate(failing.logText());
});

test('a defect is answered 500 without details, while the log names it without personal data', async (t) => {
  const quoting = Object.assign(
    new Error(`duplicate key value (${personal.email}, ${account.accessSecret})`),
    {
      severity: 'ERROR',
      code: '23505',
      constraint: 'orders_pkey',
      detail: `Key (email)=(${personal.email}) already exists.`,
      where: personal.accountNumber,
      query: `insert into orders values ('${personal.card}')`,
      parameters: Object.values(personal),
    },
  );
  const database = openDatabase({ connectionString: service.url });
  t.after(() => database.close());
  const failing = await startApplication(t, {
    ...database,
    query: (statement) =>
      statement.text.includes(' orders ') ? Promise.reject(quoting) : database.query(statement),
  });
  for (const method of ['GET', 'POST'] as const) {
    const reply = await failing.call(method);
    assertRefused(reply, 'INTERNAL_ERROR');
    assert.equal(reply.headers.get('retry-after'), null);
  }
  assert.match(failing.logText(), /"code":"INTERNAL_ERROR".*"orders_pkey"/);
  assertNothingPrivate(failing.logText());
});

function assertNothingPrivate(logText: string): void {
  assert.notEqual(logText, '');
  for (const secret of secrets) {
    assert.equal(logText.includes(secret), false, `the log holds ${secret}`);
  }
  const signatures = secrets.filter((text) => text.startsWith('ey')).map((t) => t.split('.')[2]);
  for (const signature of signatures) {
    assert.equal(logText.includes(signature as string), false, 'the log holds part of a token');
  }
}

/** The application on another database handle, with a log of its own. */
async function startApplication(t: TestContext, database: Database) {
  const lines: string[] = [];
  const sink = new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk));
      done();
    },
  });
  const services = createServices({
    database,
    masterKeyHex: testMasterKeyHex,
    settings: service.services.settings,
  });
  const app = await buildApp({
    services,
    metrics: createMetrics(),
    log: createLog('trace', sink),
    checkReadiness: async () => ({ missing: [], late: [] }),
    renderMetrics: async () => ({ contentType: 'text/plain', text: '' }),
  });
  t.after(() => app.close());
  const baseUrl = await app.listen({ host: '127.0.0.1', port: 0 });
  const { token } = account;
  return {
    logText: () => lines.join(''),
    call: (method: 'GET' | 'POST') =>
      method === 'POST'
        ? callService(baseUrl, '/api/v3/create-order', { token, body })
        : callService(baseUrl, `/api/v3/order?order_id=${created.body.order_id}`, { token }),
  };
}
