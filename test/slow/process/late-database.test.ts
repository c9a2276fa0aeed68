import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { commandLine } from '../../../src/domain/audit.ts';
import { createServices } from '../../../src/process/create-services.ts';
import { createAccount } from '../../../src/use-cases/accounts/create-account.ts';
import { findFreePort } from '../../../tools/harness/free-port.ts';
import { waitUntil } from '../../../tools/harness/wait-until.ts';
import { openDatabaseLink } from '../../support/database-link.ts';
import { launchService, runFailingStart } from '../../support/service-process.ts';
import { assertUnavailable, call, callsOf, kinds, openShop } from '../../support/shop-callers.ts';
import { createTestDatabase } from '../../support/test-database.ts';
import { type Call, callService, testMasterKeyHex } from '../../support/test-service.ts';

const backMsMax = 2_000;
const password = 'hunter2';

// Seldom, something of a service in this process goes on after the tests, and would keep the whole run from ending.
after(() => {
  const end = () => {
    console.error('still active after the tests:', process.getActiveResourcesInfo());
    process.exit();
  };
  setTimeout(end, 10_000).unref();
});

// A service that went on waiting would not end at all.
test('a database that is unavailable is no longer waited for after a signal, which ends the service cleanly', async () => {
  const { service } = await startWithout({ WORKERS: '2' });
  assert.equal(await service.end(), 0);
});

describe('a database that is unavailable when the service starts', { concurrency: true }, () => {
  for (const workers of [1, 2]) {
    test(`is waited for with WORKERS=${workers}: a log line, 503 until then, and service within 2 s of its return`, async (t) => {
      const { shop, way, address, service } = await startWithout({ WORKERS: String(workers) });
      assert.match(
        service.output(),
        new RegExp(
          `^({"level":"warn",[^\\n]+"msg":"The database of DATABASE_URL at ${address} cannot be used ` +
            `\\(connect ECONNREFUSED ${address}\\): check that it runs and that the URL is right\\. ` +
            // Again every ten seconds, which a busy machine may need to start.
            'The service waits for it; until then every call is answered 503\\."}\\n)+$',
        ),
      );
      const calls = callsOf(service, shop, 'or_0000000000000000');
      for (const kind of kinds) assertUnavailable(kind, (await call(kind, calls)).reply);
      assert.deepEqual((await service.call('/healthz')).body, { status: 'ok' });
      assert.equal((await service.call('/openapi.json')).status, 200);
      assert.equal((await service.call('/metrics')).status, 200);
      assert.equal((await service.call('/nothing')).status, 404);

      await way.open();
      const backAt = performance.now();
      let created = await call('create', calls);
      while (created.reply.status !== 200) {
        assertUnavailable('create', created.reply);
        created = await call('create', calls);
      }
      const backMs = Math.round(performance.now() - backAt);
      t.diagnostic(`back after ${backMs} ms`);
      assert.ok(backMs < backMsMax, `${backMs} ms`);

      await waitUntil('it says so', () => service.output().includes('is ready on'));
      const known = callsOf(service, shop, created.reply.body.order_id);
      for (const kind of kinds) assert.equal((await call(kind, known)).reply.status, 200, kind);
      assert.ok(!service.output().includes(password));
      assert.equal(await service.end(), 0);
    });
  }

  test('and accepts connections without answering, is used within 2 s of its return', async (t) => {
    const { way, service } = await startWithout({}, (frozen) => frozen.freeze());
    assertUnavailable('ready', await service.call('/readyz'));
    await way.open();
    const backAt = performance.now();
    await waitUntil('it is ready', async () => (await service.call('/readyz')).status === 200);
    const backMs = Math.round(performance.now() - backAt);
    t.diagnostic(`back after ${backMs} ms`);
    assert.ok(backMs < backMsMax, `${backMs} ms`);
  });

  test('is not waited for by the command line, which prints one line and exits with 1', async () => {
    const address = `127.0.0.1:${await findFreePort()}`;
    const env = {
      DATABASE_URL: `postgres://service:${password}@${address}/orders`,
      MASTER_KEY: testMasterKeyHex,
    };
    const command = [process.execPath, 'src/cli/main.ts', 'account', 'list'] as const;
    const { code, output } = await runFailingStart(env, { command });
    assert.equal(code, 1);
    assert.equal(
      output,
      `The database of DATABASE_URL at ${address} cannot be used (connect ECONNREFUSED ${address}): check that it runs and that the URL is right.\n`,
    );
  });

  test('and belongs to another master key, makes the service print one line and exit with 1', async () => {
    const { way, service, test: stranger } = await startWithout({ MASTER_KEY: 'ab'.repeat(32) });
    await createAccount(
      createServices({
        database: stranger.database,
        masterKeyHex: testMasterKeyHex,
        settings: { publicUrl: 'http://service.test', orderLapseSeconds: 3600 },
      }),
      { name: 'Shop' },
      commandLine,
    );
    await way.open();
    assert.equal(await service.exited, 1);
    assert.match(service.output(), /\nMASTER_KEY is not the one .+\.\n$/);
  });
});

type Way = Awaited<ReturnType<typeof openDatabaseLink>>;

/** Resolves when the service listens and has logged that it waits. */
async function startWithout(
  env: Readonly<Record<string, string>>,
  trouble: (way: Way) => Promise<void> | void = (way) => way.close(),
) {
  const test = await createTestDatabase();
  const shop = await openShop(test);
  const way = await openDatabaseLink(test.url);
  await trouble(way);
  const port = await findFreePort();
  const baseUrl = `http://127.0.0.1:${port}`;
  const { child, output, exited } = launchService({
    DATABASE_URL: way.url.replace('@', `:${password}@`),
    MASTER_KEY: testMasterKeyHex,
    LOG_LEVEL: 'warn',
    PORT: String(port),
    ...env,
  });
  const ask = (path: string, call?: Call) =>
    callService(baseUrl, path, { ...call, headers: { connection: 'close', ...call?.headers } });
  await waitUntil('it listens and has logged that it waits', async () => {
    if (!output().includes('The service waits for it')) return false;
    return ask('/healthz').then(
      () => true,
      () => false,
    );
  });
  const end = async () => {
    child.kill('SIGTERM');
    return exited;
  };
  return {
    test,
    shop,
    way,
    address: new URL(way.url).host,
    service: { call: ask, output, exited, end },
  };
}
