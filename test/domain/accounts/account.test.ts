import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type Account,
  type AccountSettings,
  type AlternateCurrency,
  accountDefaults,
  checkSettings,
  hasLiveAccessSecret,
  type LiveSecret,
  liveSecrets,
} from '../../../src/domain/accounts/account.ts';
import { ServiceError } from '../../../src/domain/errors.ts';

const now = new Date('2026-03-02T10:00:00.000Z');
const later = (ms: number) => new Date(now.getTime() + ms);

test('an old secret is valid until just before it expires, and the current one comes first', () => {
  const account = accountWith([
    { value: 'long gone', expiresAt: later(-86_400_000) },
    { value: 'ends now', expiresAt: now },
    { value: 'ends soon', expiresAt: later(1) },
    { value: 'current', expiresAt: null },
  ]);
  assert.deepEqual(liveSecrets(account, 'access-secret', now), ['current', 'ends soon']);
  assert.deepEqual(liveSecrets(account, 'access-secret', later(-1)), [
    'current',
    'ends now',
    'ends soon',
  ]);
  assert.deepEqual(liveSecrets(account, 'access-secret', later(1)), ['current']);
});

test('secrets of different kinds are kept apart', () => {
  const account = accountWith([{ value: 'current', expiresAt: null }]);
  assert.deepEqual(liveSecrets(account, 'partner-webhook-secret', now), []);
  assert.deepEqual(liveSecrets(account, 'bank-gateway-secret', now), []);
  assert.deepEqual(liveSecrets(account, 'consumer-id-key', now), []);
});

test('a mark is valid exactly as long as its secret', () => {
  const account = accountWith([
    { value: 'old', expiresAt: later(1) },
    { value: 'current', expiresAt: null },
  ]);
  const isLive = (mark: string, at: Date) => hasLiveAccessSecret(account, mark, at);
  assert.deepEqual([isLive('old', now), isLive('current', now)], [true, true]);
  assert.deepEqual([isLive('old', later(1)), isLive('current', later(1))], [false, true]);
  assert.equal(isLive('another', now), false);
});

test('listing the valid secrets does not change the account', () => {
  const secrets = [
    { value: 'old', expiresAt: later(1) },
    { value: 'current', expiresAt: null },
  ];
  const account = accountWith(secrets);
  liveSecrets(account, 'access-secret', now);
  assert.deepEqual(account, accountWith(secrets));
});

test('callback origins must be origins, up to the limit', () => {
  const refused = (callbackOrigins: string[], words: RegExp) =>
    assert.throws(
      () => checkSettings(settingsWith({ callbackOrigins })),
      (error) => {
        assert.ok(error instanceof ServiceError);
        assert.match(error.merchantMessage, words);
        return true;
      },
    );
  refused(
    ['https://shop.example', 'https://shop.example/'],
    /^callback origin https:\/\/shop\.example\/ must/,
  );
  refused(['http://shop.example'], /^callback origin http:\/\/shop\.example must be https/);
  refused(
    Array.from({ length: 51 }, (_, index) => `https://s${index}.example`),
    /at most 50/,
  );
  checkSettings(settingsWith({ callbackOrigins: ['https://shop.example', 'http://[::1]:1'] }));
});

test('valid settings are returned unchanged', () => {
  const settings = settingsWith({
    name: 'n'.repeat(255),
    alternateCurrencies: [
      { from: 'USD', to: 'INR', rate: '83.25' },
      { from: 'EUR', to: 'INR', rate: '90' },
      { from: 'INR', to: 'JPY', rate: '0.0000001' },
    ],
  });
  assert.equal(checkSettings(settings), settings);
  assert.deepEqual(checkSettings({ name: 'Tea shop', ...accountDefaults }), {
    name: 'Tea shop',
    optionalOrderDetails: false,
    encryptedPayloads: false,
    signatureVersion: 'v3',
    captureMode: 'automatic',
    latePayments: 'keep',
    requestsPerSecond: null,
    alternateCurrencies: [],
    callbackOrigins: [],
    colour: null,
    supportEmail: null,
    supportPhone: null,
    supportUrl: null,
    frameOrigins: [],
    upiCollect: false,
    paymentModes: {},
    providerApis: {},
    providerSettings: {},
  });
});

test('a name must have 1 to 255 characters', () => {
  for (const name of ['', ' ', '\t\n', 'n'.repeat(256)]) {
    assertRefused({ name }, 'name must have 1 to 255 characters');
  }
});

test('an invalid alternate currency is refused with the reason', () => {
  const cases: ReadonlyArray<readonly [AlternateCurrency, string]> = [
    [{ from: 'usd', to: 'INR', rate: '83' }, 'names an unknown currency usd'],
    [{ from: 'USD', to: 'XXX', rate: '83' }, 'names an unknown currency XXX'],
    [{ from: 'INR', to: 'INR', rate: '1' }, 'must name two different currencies'],
    ...['0', '0.00', '-1', '', 'abc', '1e3', '83,25', ' 83', 'Infinity'].map(
      (rate) => [{ from: 'USD', to: 'INR', rate }, 'needs a rate above 0 such as 83.25'] as const,
    ),
  ];
  for (const [alternate, why] of cases) {
    const written = `${alternate.from}:${alternate.to}:${alternate.rate}`;
    assertRefused({ alternateCurrencies: [alternate] }, `alternate currency ${written} ${why}`);
  }
});

test('a currency can have only one alternate', () => {
  const alternateCurrencies = [
    { from: 'USD', to: 'INR', rate: '83.25' },
    { from: 'USD', to: 'EUR', rate: '0.92' },
  ];
  assertRefused(
    { alternateCurrencies },
    'alternate currency USD:EUR:0.92 is the second one for USD',
  );
});

function settingsWith(changes: Partial<AccountSettings>): AccountSettings {
  return { name: 'Tea shop', ...accountDefaults, ...changes };
}

function accountWith(accessSecrets: ReadonlyArray<Omit<LiveSecret, 'mark'>>): Account {
  return {
    ...settingsWith({}),
    accountId: 'acc_0123456789abcdef',
    suspendedAt: null,
    endpoints: [],
    logo: null,
    secrets: {
      'access-secret': accessSecrets.map((secret) => ({ ...secret, mark: secret.value })),
    },
  };
}

function assertRefused(changes: Partial<AccountSettings>, sentence: string): void {
  assert.throws(
    () => checkSettings(settingsWith(changes)),
    (error: unknown) =>
      error instanceof ServiceError &&
      error.code === 'INVALID_REQUEST_PARAMETER' &&
      error.merchantMessage === `${sentence}.`,
    sentence,
  );
}
