/** An option whose value is empty, as by an unset variable of a script, never means "all", "any" or "none". Contract 1.6. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commands } from '../../../src/cli/commands.ts';
import { runCommandHere } from '../../support/command-here.ts';
import { partnerEvent, partnerPayment, sendPartner } from '../../support/deliveries.ts';
import { orderBody } from '../../support/order-bodies.ts';
import { addEndpoint } from '../../support/shop-endpoint.ts';
import { dumpTables } from '../../support/test-database.ts';
import { startTestService, testMasterKeyHex } from '../../support/test-service.ts';

const service = await startTestService();
const env = { DATABASE_URL: service.url, MASTER_KEY: testMasterKeyHex };
const account = await service.createAccount();
const { accountId } = account;
const { endpointId } = await addEndpoint(service, accountId, 'https://shop.example/events');
const body = orderBody({ invoice_id: 'EMPTY-1' });
const order = await service.call('/api/v3/create-order', { token: account.token, body });
const payment = partnerPayment({ notes: { invoice_id: 'EMPTY-1' } });
const event = partnerEvent('payment.captured', { payment });
const delivery = await sendPartner(service, account, event);

/** What an empty value is documented to mean. */
const allowed: Readonly<Record<string, string>> = {
  'account create --bank-gateway-merchant': 'removes the setting',
  'account create --bank-gateway-hold-days': 'removes the setting',
  'account create --partner-upi-intent': 'removes the setting',
  'account update --bank-gateway-merchant': 'removes the setting',
  'account update --bank-gateway-hold-days': 'removes the setting',
  'account update --partner-upi-intent': 'removes the setting',
  'link create --description': 'is absent, as in the API',
  'link create --email': 'is absent, as in the API',
  'link create --phone': 'is absent, as in the API',
  'link create --name': 'is absent, as in the API',
};

const values: Readonly<Record<string, string>> = {
  ACCOUNT_ID: accountId,
  PAYMENT_LINK_ID: accountId,
  ENDPOINT_ID: endpointId,
  ORDER: 'EMPTY-1',
  DELIVERY_ID: delivery.body.delivery_id,
  ID: `${accountId}/${order.body.order_id}:x`,
  EVENT_ID: 'evt_x-1',
  SECRET: 'access-secret',
  KEY: 'signing',
  TRANSACTION_ID: `${order.body.order_id}-260101000000`,
};

/** Options that make the rest of a command right, so that only the empty one is wrong. */
const others: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'account create': { name: 'Shop' },
  'consumer erase': { email: 'asha@example.com', mobile: '+919876543210' },
  'endpoint create': { url: 'https://shop.example/more' },
  'endpoint update': { url: 'https://shop.example/other' },
  'event resend': { since: '24h', endpoint: endpointId },
  'inbox replay': { state: 'processed' },
  'inbox resolve': { state: 'dead', 'older-than': '1s', note: 'x' },
  'link create': { amount: '1', currency: 'INR', invoice: 'EMPTY-2' },
  'review resolve': { note: 'x' },
  'user invite': { email: 'a@example.com', role: 'owner' },
  'user remove': { email: 'a@example.com' },
  'user reset': { email: 'a@example.com' },
};

for (const command of commands) {
  const name = command.name.join(' ');
  const needed = command.arguments.filter(({ isOptional }) => !isOptional);
  const words = needed.map((one) => values[one.name] ?? '');
  for (const [option, spec] of Object.entries(command.options)) {
    if (spec.value === undefined || allowed[`${name} --${option}`] !== undefined) continue;
    test(`"${name}" refuses an empty --${option}, and nothing changes`, async () => {
      assert.ok(words.every((word) => word !== ''));
      const rest = Object.entries(others[name] ?? {}).filter(([one]) => one !== option);
      const given = rest.flatMap(([one, value]) => [`--${one}`, value]);
      const before = await dumpTables(service.database);
      for (const value of spec.isRequired ? [''] : ['', '  ']) {
        const all = [...command.name, ...words, ...given, `--${option}`, value];
        const { code, stdout } = await runCommandHere(all, env);
        assert.deepEqual([code, stdout], [1, ''], `${all.join(' ')} (${value.length})`);
      }
      assert.deepEqual(await dumpTables(service.database), before);
    });
  }
}
