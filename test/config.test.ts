import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, test } from 'node:test';
import { StartError } from '../src/domain/start-error.ts';
import { readConfig, warnOfFormerNames } from '../src/process/config.ts';

const masterKey = 'ab'.repeat(32);
const databaseUrl = 'postgres://service:hunter2@db.example.com/orders';

test('an empty environment gives the embedded mode on 127.0.0.1:8080', () => {
  assert.deepEqual(readConfig({}), {
    host: '127.0.0.1',
    port: 8080,
    publicUrl: 'http://127.0.0.1:8080',
    databaseUrl: undefined,
    databaseConnectionsMax: 16,
    isMigrating: true,
    dataDir: resolve('.data'),
    masterKeyHex: undefined,
    otherMasterKeysHex: [],
    workers: 1,
    logLevel: 'info',
    orderLapseSeconds: 24 * 3600,
    pollSeconds: 60,
    inboxBodyDays: 90,
    historyDays: 0,
    eventDays: 30,
    endpointNetworks: [],
    trustedProxies: ['127.0.0.0/8', '::1/128'],
    simulatorUrl: undefined,
    traceEndpoint: undefined,
  });
});

test('every variable is read', () => {
  const config = readConfig({
    HOST: '0.0.0.0',
    PORT: '9000',
    PUBLIC_URL: 'https://pay.example.com/',
    DATABASE_URL: databaseUrl,
    DATABASE_POOL_SIZE: '40',
    MIGRATE: 'no',
    DATA_DIR: '/var/lib/orders',
    MASTER_KEY: masterKey,
    MASTER_KEY_PREVIOUS: `${'cd'.repeat(32)}, ${'ef'.repeat(32)}`,
    WORKERS: '4',
    LOG_LEVEL: 'silent',
    ORDER_LAPSE_HOURS: '48',
    PROVIDER_POLL_SECONDS: '5',
    INBOX_BODY_DAYS: '30',
    HISTORY_DAYS: '730',
    EVENT_DAYS: '7',
    ENDPOINT_ALLOWED_NETWORKS: '10.1.0.0/16, fd00::/8',
    TRUSTED_PROXIES: '192.0.2.7, 10.1.0.0/16,fd00::1 ,fe80::/10',
    SIMULATOR_URL: 'https://simulator.example.com/',
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318',
  });
  assert.deepEqual(config, {
    host: '0.0.0.0',
    port: 9000,
    publicUrl: 'https://pay.example.com',
    databaseUrl,
    databaseConnectionsMax: 40,
    isMigrating: false,
    dataDir: '/var/lib/orders',
    masterKeyHex: masterKey,
    otherMasterKeysHex: ['cd'.repeat(32), 'ef'.repeat(32)],
    workers: 4,
    logLevel: 'silent',
    orderLapseSeconds: 48 * 3600,
    pollSeconds: 5,
    inboxBodyDays: 30,
    historyDays: 730,
    eventDays: 7,
    endpointNetworks: ['10.1.0.0/16', 'fd00::/8'],
    trustedProxies: ['192.0.2.7', '10.1.0.0/16', 'fd00::1', 'fe80::/10'],
    simulatorUrl: 'https://simulator.example.com',
    traceEndpoint: 'http://127.0.0.1:4318',
  });
});

test('a variable that is empty or blank counts as not set', () => {
  const names = ['HOST', 'PORT', 'PUBLIC_URL', 'DATABASE_URL', 'DATA_DIR', 'MASTER_KEY'];
  const others = ['WORKERS', 'LOG_LEVEL', 'ORDER_LAPSE_HOURS'];
  for (const blank of ['', '  ']) {
    const env = Object.fromEntries([...names, ...others].map((name) => [name, blank]));
    assert.deepEqual(readConfig(env), readConfig({}));
  }
});

test('the former name of a setting works, gives way to its present name, and is warned of', () => {
  const former = { PROVIDER_ASK_SECONDS: '5' };
  assert.equal(readConfig(former).pollSeconds, 5);
  assert.equal(readConfig({ ...former, PROVIDER_POLL_SECONDS: '7' }).pollSeconds, 7);
  assert.throws(
    () => readConfig({ PROVIDER_ASK_SECONDS: 'x' }),
    /^StartError: PROVIDER_ASK_SECONDS /,
  );
  assert.deepEqual(warnOfFormerNames(former), [
    'PROVIDER_ASK_SECONDS is now called PROVIDER_POLL_SECONDS: rename it, the old name will go.',
  ]);
  assert.deepEqual(warnOfFormerNames({ PROVIDER_POLL_SECONDS: '7' }), []);
});

test('the public URL of an IPv6 host has its brackets', () => {
  assert.equal(readConfig({ HOST: '::1', PORT: '80' }).publicUrl, 'http://[::1]:80');
});

test('the configuration cannot be changed', () => {
  assert.ok(Object.isFrozen(readConfig({})));
});

const badValues: ReadonlyArray<readonly [variable: string, value: string]> = [
  ...['0', '65536', '-1', '80.5', '8e3', '0x50', 'http', '8080x'].map((v) => ['PORT', v] as const),
  ...['0', '257', '1.5', 'many'].map((value) => ['WORKERS', value] as const),
  ...['0', '8761', 'soon'].map((value) => ['ORDER_LAPSE_HOURS', value] as const),
  ...['-1', '36501', 'never'].map((value) => ['INBOX_BODY_DAYS', value] as const),
  ...['-1', '36501', 'never'].map((value) => ['HISTORY_DAYS', value] as const),
  ...['-1', '36501', 'never'].map((value) => ['EVENT_DAYS', value] as const),
  ...['10.1.0.0/33', 'fd00::/129', 'shop.example/8', '10.0.0.0/8,', '10.0.0.0/8/8'].map(
    (value) => ['ENDPOINT_ALLOWED_NETWORKS', value] as const,
  ),
  ...['proxy', '10.1.0.0/33', '10.1', '::1/129', '127.0.0.1,', '10.1.0.0-10.1.0.9', '*'].map(
    (value) => ['TRUSTED_PROXIES', value] as const,
  ),
  ...['3', '1001', 'few'].map((value) => ['DATABASE_POOL_SIZE', value] as const),
  ...['No', 'false', '0'].map((value) => ['MIGRATE', value] as const),
  ...['verbose', 'INFO'].map((value) => ['LOG_LEVEL', value] as const),
  ...['pay.example.com', 'ftp://pay.example.com', '/'].map((v) => ['PUBLIC_URL', v] as const),
  ...['db:5432/orders', 'mysql://root:hunter2@db/orders', 'hunter2'].map(
    (value) => ['DATABASE_URL', value] as const,
  ),
  ...['hunter2', 'ab'.repeat(31), 'ab'.repeat(33), 'xy'.repeat(32)].map(
    (value) => ['MASTER_KEY', value] as const,
  ),
];

for (const [variable, value] of badValues) {
  test(`${variable}=${value} is refused with one sentence that names ${variable}`, () => {
    const sentence = refusalOf({ MASTER_KEY: masterKey, [variable]: value });
    assert.match(sentence, new RegExp(`^${variable} must .+\\.$`));
    assert.doesNotMatch(sentence, /\n/);
  });
}

test('a DATABASE_URL without a MASTER_KEY is refused by the name of what is missing', () => {
  assert.match(refusalOf({ DATABASE_URL: databaseUrl }), /^MASTER_KEY is missing: .+\.$/);
});

test('what a refusal says never repeats a password or a key', () => {
  const urls = ['mysql://root:hunter2@db/orders', 'hunter2', 'service:hunter2@db'];
  for (const url of urls) {
    assert.doesNotMatch(refusalOf({ DATABASE_URL: url, MASTER_KEY: masterKey }), /hunter2/);
  }
  assert.doesNotMatch(refusalOf({ DATABASE_URL: databaseUrl }), /hunter2/);
  assert.doesNotMatch(refusalOf({ MASTER_KEY: 'hunter2' }), /hunter2/);
});

test('secrets are read from files, without the line end', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'config-'));
  after(() => rm(folder, { recursive: true }));
  const write = async (name: string, text: string) => {
    const file = join(folder, name);
    await writeFile(file, text);
    return file;
  };
  const files = {
    DATABASE_URL_FILE: await write('url', `${databaseUrl}\n`),
    MASTER_KEY_FILE: await write('key', `${masterKey}\n`),
    MASTER_KEY_PREVIOUS_FILE: await write('previous', `${'cd'.repeat(32)}\n`),
  };
  const read = readConfig(files);
  assert.equal(read.databaseUrl, databaseUrl);
  assert.equal(read.masterKeyHex, masterKey);
  assert.deepEqual(read.otherMasterKeysHex, ['cd'.repeat(32)]);

  assert.equal(
    refusalOf({ ...files, MASTER_KEY: masterKey }),
    'Set MASTER_KEY or MASTER_KEY_FILE, not both.',
  );
  const absent = join(folder, 'absent');
  assert.equal(
    refusalOf({ MASTER_KEY_FILE: absent }),
    `MASTER_KEY_FILE cannot be read: ${absent} (ENOENT).`,
  );
  const empty = await write('empty', '\n');
  assert.equal(refusalOf({ DATABASE_URL_FILE: empty }), `DATABASE_URL_FILE is empty: ${empty}.`);
});

function refusalOf(env: Record<string, string>): string {
  try {
    readConfig(env);
  } catch (error) {
    assert.ok(error instanceof StartError, String(error));
    return error.message;
  }
  return assert.fail('the configuration was accepted');
}
