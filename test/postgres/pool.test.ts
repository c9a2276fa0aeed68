import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, test } from 'node:test';
import { ServiceError } from '../../src/domain/errors.ts';
import { randomBase62 } from '../../src/domain/ids.ts';
import {
  type Database,
  type DatabaseAddress,
  type DatabaseOptions,
  openDatabase,
} from '../../src/postgres/database.ts';
import { databaseLimits } from '../../src/postgres/limits.ts';
import { waitUntil } from '../../tools/harness/wait-until.ts';
import { openDatabaseLink } from '../support/database-link.ts';
import { clusterAddress, createTestDatabase } from '../support/test-database.ts';

const cluster = openOwn(clusterAddress());

test('many concurrent statements share the few connections that the server allows', async () => {
  const database = openAs(await createRole(3));
  const backends = await Promise.all(Array.from({ length: 40 }, () => useConnection(database)));
  assert.ok(new Set(backends).size <= 3);
});

test('additional connections are used soon after the server allows them', async () => {
  const role = await createRole(2);
  const database = openAs(role);
  await Promise.all(Array.from({ length: 10 }, () => useConnection(database)));
  await cluster.query({ text: `alter role ${role} connection limit 10` });
  await waitUntil('more than two connections are used', async () => {
    const backends = await Promise.all(Array.from({ length: 10 }, () => useConnection(database)));
    return new Set(backends).size > 2;
  });
});

test('a server without a free connection answers SERVICE_UNAVAILABLE', async () => {
  const database = openAs(await createRole(0));
  const tried = await Promise.allSettled(
    Array.from({ length: 40 }, () => database.query({ text: 'select 1' })),
  );
  for (const outcome of tried) {
    assert.ok(outcome.status === 'rejected' && outcome.reason instanceof ServiceError);
    assert.equal(outcome.reason.code, 'SERVICE_UNAVAILABLE');
  }
});

test('connections for requests use indexes only, those for maintenance plan freely and may take longer', async () => {
  const requests = openOwn(clusterAddress());
  const maintenance = openOwn(clusterAddress(), { purpose: 'maintenance' });
  const [ofRequests, ofMaintenance] = await Promise.all([requests, maintenance].map(showSettings));
  assert.deepEqual(ofRequests, {
    enable_seqscan: 'off',
    enable_hashjoin: 'off',
    enable_mergejoin: 'off',
    plan_cache_mode: 'auto',
    statement_timeout: databaseLimits.statementMsMax,
    idle_in_transaction_session_timeout: databaseLimits.statementMsMax,
    lock_timeout: 0,
  });
  assert.deepEqual(ofMaintenance, {
    enable_seqscan: 'on',
    enable_hashjoin: 'on',
    enable_mergejoin: 'on',
    plan_cache_mode: 'force_custom_plan',
    statement_timeout: databaseLimits.maintenanceStatementMsMax,
    idle_in_transaction_session_timeout: databaseLimits.maintenanceStatementMsMax,
    lock_timeout: databaseLimits.statementMsMax,
  });
});

test('maintenance takes only the few connections that are set aside for it', async () => {
  const database = openOwn(clusterAddress(), { purpose: 'maintenance' });
  const backends = await Promise.all(Array.from({ length: 20 }, () => useConnection(database)));
  assert.equal(new Set(backends).size, databaseLimits.maintenanceConnectionsMax);
});

if (process.platform === 'linux') {
  test('a connection that is silent for a second is probed by the kernel', async () => {
    const { url } = await createTestDatabase();
    const way = await openDatabaseLink(url);
    const database = openOwn({ connectionString: way.url });
    await database.query({ text: 'select 1' });
    const timers = await readTimers(Number(new URL(way.url).port));
    assert.equal(timers.length, 1);
    for (const { kind, milliseconds } of timers) {
      assert.equal(kind, keepAliveTimer);
      assert.ok(milliseconds <= databaseLimits.databaseSilenceMsMax, `${milliseconds} ms`);
    }
  });
}

/** The settings that the purpose of a connection decides; times in milliseconds. */
async function showSettings(database: Database): Promise<Record<string, string | number>> {
  const { rows } = await database.query<{ name: string; setting: string; unit: string | null }>({
    text: `select name, setting, unit from pg_settings
            where name in ('enable_seqscan', 'enable_hashjoin', 'enable_mergejoin', 'plan_cache_mode',
                           'statement_timeout', 'idle_in_transaction_session_timeout', 'lock_timeout')`,
  });
  return Object.fromEntries(
    rows.map(({ name, setting, unit }) => [name, unit === 'ms' ? Number(setting) : setting]),
  );
}

/** Resolves with the server process id of the connection that was used. */
function useConnection(database: Database): Promise<number> {
  return database.transaction(async (tx) => {
    const { rows } = await tx.query<{ pid: number }>({
      text: 'select pg_backend_pid() as pid from pg_sleep(0.01)',
    });
    return rows[0]?.pid ?? 0;
  });
}

async function createRole(connectionsMax: number): Promise<string> {
  const role = `clerk_${randomBase62(8).toLowerCase()}`;
  await cluster.query({ text: `create role ${role} login connection limit ${connectionsMax}` });
  after(() => cluster.query({ text: `drop role ${role}` }));
  return role;
}

function openAs(user: string): Database {
  return openOwn({ ...clusterAddress(), user });
}

function openOwn(address: DatabaseAddress, options: DatabaseOptions = {}): Database {
  const database = openDatabase(address, options);
  after(() => database.close());
  return database;
}

const keepAliveTimer = 2;

/** The kernel's timers on connections to this local port. */
async function readTimers(port: number) {
  const hex = port.toString(16).toUpperCase().padStart(4, '0');
  const lines = (await readFile('/proc/net/tcp', 'utf8')).split('\n');
  return lines
    .map((line) => line.trim().split(/\s+/))
    .filter(([, , remote]) => remote === `0100007F:${hex}`)
    .map(([, , , , , timer = '']) => {
      const [kind, ticks] = timer.split(':').map((text) => Number.parseInt(text, 16));
      return { kind, milliseconds: (ticks ?? 0) * 10 };
    });
}
