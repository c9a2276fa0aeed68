/** The commands for endpoints: what they print, and that secrets are printed once. Contract 12.1. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { commandLine } from '../../../src/domain/audit.ts';
import { eventTypes } from '../../../src/domain/event-type.ts';
import { openPayload } from '../../../src/security/sealed-payload.ts';
import { createEndpoint } from '../../../src/use-cases/events/endpoints.ts';
import { jsonCommands, type Printed, runCommandHere } from '../../support/command-here.ts';
import { accept, answerStatus, startShopEndpoint } from '../../support/shop-endpoint.ts';
import { startTestService, testMasterKeyHex } from '../../support/test-service.ts';

const service = await startTestService();
const env = {
  DATABASE_URL: service.url,
  MASTER_KEY: testMasterKeyHex,
  ENDPOINT_ALLOWED_NETWORKS: '127.0.0.1/32',
};
const { refusalOf, runJson } = jsonCommands(env);
const { accountId } = await service.createAccount();
const secretPattern = /^whsec_[A-Za-z0-9+/]{43}=$/;

test('create prints the endpoint with its secret, and list prints it without', async () => {
  const [chosen, all] = await Promise.all([
    runJson(
      `endpoint create ${accountId} --url https://shop.test/a --event order_completed --event refund_success`,
    ),
    runCommandHere(['endpoint', 'create', accountId, '--url', 'https://SHOP.test:443/b'], env),
  ]);
  const { endpoint_id, secret, ...others } = chosen;
  assert.match(endpoint_id, /^ep_[0-9A-Za-z]{32}$/);
  assert.match(secret, secretPattern);
  const url = 'https://shop.test/a';
  const events = ['order_completed', 'refund_success'];
  assert.deepEqual(others, { account_id: accountId, url, events });

  assert.equal(all.code, 0, all.stderr);
  assert.match(
    all.stdout,
    /^endpoint_id +ep_\w{32}\naccount_id +acc_\w{16}\nurl +https:\/\/shop\.test\/b\nsecret +whsec_/,
  );
  const otherId = /ep_\w{32}/.exec(all.stdout)?.[0];
  assert.match(all.stdout + all.stderr, new RegExp(`endpoint test ${otherId}`));

  const { endpoints } = await runJson(`endpoint list --account ${accountId}`);
  const enabled = { enabled: true, disabled_reason: null };
  assert.deepEqual(
    endpoints.toSorted((one: Printed, other: Printed) => (one.url < other.url ? -1 : 1)),
    [
      { endpoint_id, account_id: accountId, url, events, ...enabled },
      {
        endpoint_id: otherId,
        account_id: accountId,
        url: 'https://shop.test/b',
        events: [...eventTypes],
        ...enabled,
      },
    ],
  );
  const listed = await runCommandHere(['endpoint', 'list'], env);
  assert.match(listed.stdout, /^ENDPOINT +ACCOUNT +URL +STATE +REASON +EVENTS\n/);
  assert.match(listed.stdout, / enabled +- +order_completed,refund_success\n/);
  assert.doesNotMatch(listed.stdout + JSON.stringify(endpoints), /whsec|secret(?!_?success)/);
  assert.ok(!service.logText().includes(secret));
});

test('update, disable, enable, rotate and delete change one endpoint', async () => {
  const { endpointId, secret } = await addEndpoint('https://shop.test/old');
  const updated = await runJson(
    `endpoint update ${endpointId} --url https://shop.test/new --event order_lapsed`,
  );
  const view = { endpoint_id: endpointId, account_id: accountId, url: 'https://shop.test/new' };
  const enabled = { enabled: true, disabled_reason: null };
  assert.deepEqual(updated, { ...view, events: ['order_lapsed'], ...enabled });
  const disabled = await runJson(`endpoint disable ${endpointId}`);
  const reason = 'Disabled by the operator.';
  const off = { enabled: false, disabled_reason: reason };
  assert.deepEqual(disabled, { ...view, events: ['order_lapsed'], ...off });
  const { stdout } = await runCommandHere(['endpoint', 'list'], env);
  assert.match(stdout, /disabled +Disabled by the operator\./);
  assert.deepEqual(await runJson(`endpoint enable ${endpointId}`), { ...updated, ...enabled });
  const all = await runJson(`endpoint update ${endpointId} --all-events`);
  assert.deepEqual(all.events, [...eventTypes]);

  const rotated = await runJson(`endpoint rotate ${endpointId} --overlap 2h`);
  assert.deepEqual(Object.keys(rotated), ['endpoint_id', 'secret', 'old_valid_until']);
  assert.match(rotated.secret, secretPattern);
  assert.notEqual(rotated.secret, secret);
  const hours = (Date.parse(rotated.old_valid_until) - Date.now()) / 3_600_000;
  assert.ok(hours > 1.9 && hours <= 2, `${hours}`);

  const deleted = await runJson(`endpoint delete ${endpointId}`);
  assert.deepEqual(deleted, { endpoint_id: endpointId, deleted: true });
  assert.equal(
    await refusalOf(`endpoint delete ${endpointId}`),
    `There is no endpoint ${endpointId}: see the list of endpoints.`,
  );
});

test('test sends a signed event without an order, and prints the answer', async () => {
  const receiver = await startShopEndpoint();
  const { endpointId, secret } = await addEndpoint(receiver.url);
  const tested = await runJson(`endpoint test ${endpointId}`);
  const { event_id, duration_ms, ...others } = tested;
  assert.match(event_id, /^evt_\w{32}-0$/);
  assert.ok(Number.isInteger(duration_ms));
  const delivered = { delivered: true, status: 200, response: 'ok' };
  assert.deepEqual(others, { endpoint_id: endpointId, ...delivered });
  const [event] = receiver.received;
  assert.ok(event);
  new Webhook(secret).verify(event.text, event.headers as Record<string, string>);
  const { occurred_at, message, ...body } = event.body;
  assert.ok(Math.abs(Date.parse(occurred_at) - Date.now()) < 60_000);
  assert.match(message, /test/);
  assert.deepEqual(body, {
    version: 'v3',
    event_id,
    event_type: 'test',
    sequence: 0,
    status: 'test',
    event_status: 'pending',
    svc_order_id: null,
    svc_transaction_id: null,
    svc_signature: null,
    is_webhook: true,
    transaction: null,
    order: null,
    user: null,
  });
  // It is not stored.
  const { rows } = await service.database.query({ text: 'select 1 from events' });
  assert.equal(rows.length, 0);
});

test('test of an endpoint that refuses exits with 1, and works while it is disabled', async () => {
  const receiver = await startShopEndpoint();
  receiver.answer = answerStatus(410);
  const { endpointId } = await addEndpoint(receiver.url);
  const refused = await runCommandHere(['endpoint', 'test', endpointId, '--json'], env);
  assert.equal(refused.code, 1);
  const { delivered, status, response } = JSON.parse(refused.stdout);
  assert.deepEqual([delivered, status, response], [false, 410, 'status 410']);
  const { endpoints } = await runJson(`endpoint list --account ${accountId}`);
  const shown = endpoints.find((one: Printed) => one.endpoint_id === endpointId);
  assert.equal(shown.enabled, true, 'a test disables nothing');
  await service.database.query({
    text: `update endpoints set disabled_reason = 'x' where endpoint_id = $1`,
    values: [endpointId],
  });
  receiver.answer = accept;
  assert.equal((await runJson(`endpoint test ${endpointId}`)).delivered, true);
  receiver.close();
  const gone = await runCommandHere(['endpoint', 'test', endpointId], env);
  assert.equal(gone.code, 1);
  assert.match(gone.stdout, /\ndelivered +false\nstatus +-?\n?.*\n.*the connection was refused/);
});

test('test of an account with encrypted payloads is sealed', async () => {
  const receiver = await startShopEndpoint();
  const account = await service.createAccount({ encryptedPayloads: true });
  const { endpointId } = await createEndpoint(
    service.services,
    account.accountId,
    {
      url: receiver.url,
      events: [],
    },
    commandLine,
  );
  await runJson(`endpoint test ${endpointId}`);
  const { encrypted_response, sub_merchant_id, ...others } = receiver.received[0]?.body ?? {};
  assert.deepEqual([sub_merchant_id, others], [account.accountId, {}]);
  const opened = openPayload(encrypted_response, account.accessSecret);
  assert.equal(JSON.parse(opened?.toString() ?? '').event_type, 'test');
});

test('a mistake is answered with one sentence that helps', async () => {
  const unknown = 'ep_00000000000000000000000000000000';
  for (const [words, sentence] of [
    [`create ${accountId}`, '--url is missing: give --url URL.'],
    ['create --url https://shop.test/', 'Give an account id.'],
    [
      'create acc_0000000000000000 --url https://shop.test/',
      /^There is no account acc_0000000000000000/,
    ],
    [
      `create ${accountId} --url shop.test`,
      /^url must be a URL such as https:\/\/shop.example\/events, and must begin with https:\/\/, or /,
    ],
    [
      `create ${accountId} --url http://shop.example:99999/`,
      /^url must be a URL such as https:\/\/shop.example\/events, and must begin with https:\/\/, or /,
    ],
    [
      `create ${accountId} --url https://10.0.0.1/`,
      /^url must be on the internet: 10\.0\.0\.1 is not, unless .*ENDPOINT_ALLOWED_NETWORKS\.$/,
    ],
    [
      `create ${accountId} --url https://a:b@shop.test/`,
      /^url must not contain a user name or password/,
    ],
    [
      `create ${accountId} --url https://shop.test/ --event paid`,
      /^event paid must be one of payment_authorized, /,
    ],
    [
      'update nonsense --url https://shop.test/',
      '"nonsense" is not an endpoint id: "endpoint list" prints them.',
    ],
    [`update ${unknown}`, 'Give --url URL, --event TYPE or --all-events.'],
    [`update ${unknown} --all-events --event order_lapsed`, 'Give --event or --all-events.'],
    ...['update --all-events', 'rotate', 'enable', 'disable', 'delete', 'test'].map((verb) => {
      const [name, ...options] = verb.split(' ');
      const words = [name, unknown, ...options].join(' ');
      return [words, `There is no endpoint ${unknown}: see the list of endpoints.`] as const;
    }),
    [`rotate ${unknown} --overlap soon`, /^--overlap /],
    ['list --account acc_1', 'There is no account acc_1.'],
  ] as const) {
    const refusal = await refusalOf(`endpoint ${words}`);
    if (typeof sentence === 'string') assert.equal(refusal, sentence, words);
    else assert.match(refusal, sentence, words);
  }
});

function addEndpoint(url: string) {
  return createEndpoint(service.services, accountId, { url, events: [] }, commandLine);
}
