/** What the providers that the service ships with mean for an account. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  defaultPaymentModes,
  isSecretKind,
  listRotatableSecretKinds,
} from '../../src/providers/account-settings.ts';
import { bankGateway } from '../../src/providers/bank-gateway/bank-gateway.ts';
import { getProvider, registerProvider } from '../../src/providers/providers.ts';

test('a new account routes every payment mode to the partner', () => {
  assert.deepEqual(defaultPaymentModes(), {
    credit_card: 'partner',
    debit_card: 'partner',
    net_banking: 'partner',
    prepaid_card: 'partner',
    upi: 'partner',
    wallet: 'partner',
  });
});

test('the secrets that the service generates can be rotated, those of the providers cannot', () => {
  const kinds = ['access-secret', 'partner-webhook-secret', 'bank-gateway-secret'];
  assert.deepEqual(listRotatableSecretKinds().slice(0, 3), kinds);
  for (const kind of ['partner-key-secret', 'bank-gateway-password', 'consumer-id-key']) {
    assert.ok(isSecretKind(kind) && !listRotatableSecretKinds().includes(kind), kind);
  }
  for (const kind of ['', 'secret', 'constructor']) assert.ok(!isSecretKind(kind), kind);
});

test('a provider cannot take the name, an option or a secret of another one', () => {
  const { settings } = bankGateway;
  const own = {
    ...settings,
    webhookSecret: 'acme-webhook-secret',
    login: { option: 'acme-login', placeholder: 'ID', description: 'The login.' },
    apiSecret: { option: 'acme-secret', placeholder: 'SECRET', description: 'The secret.' },
    apiUrl: { option: 'acme-url', placeholder: 'URL', description: 'The address.' },
    plain: [],
  };
  const duplicates = [
    [bankGateway.name, own, 'name bank-gateway'],
    ['acme', { ...own, login: settings.login }, 'option --bank-gateway-merchant'],
    [
      'acme',
      { ...own, plain: settings.plain },
      'option --bank-gateway-merchant, the option --bank-gateway-hold-days',
    ],
    ['acme', { ...own, apiUrl: settings.apiUrl }, 'option --bank-gateway-url'],
    [
      'acme',
      { ...own, webhookSecret: 'bank-gateway-secret' },
      'kind of secret bank-gateway-secret',
    ],
  ] as const;
  for (const [name, described, shared] of duplicates) {
    const duplicate = { ...bankGateway, name, settings: described };
    const message = `another provider already has the ${shared}`;
    assert.throws(() => registerProvider(duplicate), { message }, shared);
  }
  assert.throws(() => getProvider('acme'), /no provider acme/);
});
