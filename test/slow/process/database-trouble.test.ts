import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { databaseLimits } from '../../../src/postgres/limits.ts';
import { type DatabaseLink, openDatabaseLink } from '../../support/database-link.ts';
import { createLimitedRole } from '../../support/held-connections.ts';
import { startServiceProcess } from '../../support/service-process.ts';
import {
  type Answered,
  assertAnsweredOrUnavailable,
  assertUnavailable,
  call,
  callsOf,
  type Kind,
  keepCalling,
  kinds,
  openShop,
} from '../../support/shop-callers.ts';
import { createTestDatabase, type TestDatabase } from '../../support/test-database.ts';
import { testMasterKeyHex } from '../../support/test-service.ts';

/** How long the database is unavailable: short by default, longer with DATABASE_AWAY_SECONDS. */
const awaySeconds = Number(process.env.DATABASE_AWAY_SECONDS ?? 4);
const backMsMax = 2_000;
/** The wait for a connection plus the time limit of a statement. */
const answerMsMax = databaseLimits.databaseAnswerMsMax + databaseLimits.databaseQueueMsMax + 500;

// Each test has its own database, so that they can run concurrently.
const gone = await createTestDatabase();
const mute = await createTestDatabase();
const late = await createTestDatabase();
const full = await createTestDatabase();
const bound = await createLimitedRole(full);

describe('database failures', { concurrency: true }, () => {
  test('an unavailable database is answered with 503, and service resumes within 2 s of its return', async (t) => {
    const stage = await openStage(gone);
    const { troubledAt, backAt, answered } = await live(t, stage, {
      trouble: stage.way.close,
      seconds: awaySeconds,
      recovery: stage.way.open,
      backMsMax,
    });
    for (const { kind, startedAt, endedAt, reply } of answered) {
      const isWithin = startedAt > troubledAt && endedAt < backAt;
      if (isWithin && !knowsForAWhile(kind)) assertUnavailable(kind, reply);
    }
  });

  test('connections that never respond again after a failover are replaced', async (t) => {
    const stage = await openStage(mute);
    await live(t, stage, {
      trouble: stage.way.freeze,
      seconds: answerMsMax / 1000,
      recovery: stage.way.openToNewConnections,
      backMsMax,
    });
  });

  test('a database that answers too late is answered with 503, and service resumes within 2 s', async (t) => {
    const stage = await openStage(late);
    await live(t, stage, {
      trouble: () => stage.way.slow(databaseLimits.databaseAnswerMsMax + 3_000),
      // Longer than any call waits, also on a busy machine.
      seconds: answerMsMax / 1000 + 2,
      recovery: stage.way.open,
      backMsMax,
    });
  });

  test('a slow server, which then has no connections left', async (t) => {
    const stage = await openStage(full, bound.role);

    await t.test('a slow database is waited for, and nothing is shed', async () => {
      stage.way.slow(300);
      const startedAt = performance.now();
      const slowly = await Promise.all(
        kinds.flatMap((kind) => Array.from({ length: 20 }, () => call(kind, stage.calls))),
      );
      t.diagnostic(`${slowly.length} calls at 300 ms an answer: ${since(startedAt)} ms`);
      for (const { kind, reply } of slowly) {
        assert.equal(reply.status, 200, `${kind}: ${JSON.stringify(reply.body)}`);
      }
      await stage.way.open();
      await assertEachOnce(stage, slowly);
    });

    await t.test(
      'without free connections calls are answered with 503, and service resumes within 2 s of their release',
      async () => {
        await live(t, stage, {
          trouble: bound.holdAll,
          // On a busy machine a call takes a second, and each kind has to meet the trouble.
          seconds: 3,
          recovery: bound.release,
          backMsMax,
        });
      },
    );
  });
});

type Stage = {
  readonly test: TestDatabase;
  /** Everything that must exist once at the end. */
  readonly written: Answered[];
  readonly way: DatabaseLink;
  readonly calls: ReturnType<typeof callsOf>;
};

/** A service that reaches its database through a proxy that can fail, with a shop and an order. */
async function openStage(test: TestDatabase, user?: string): Promise<Stage> {
  const way = await openDatabaseLink(test.url, user);
  const shop = await openShop(test);
  const service = await startServiceProcess({
    DATABASE_URL: way.url,
    MASTER_KEY: testMasterKeyHex,
    LOG_LEVEL: 'fatal',
  });
  const first = await call('create', callsOf(service, shop, ''));
  const calls = callsOf(service, shop, first.reply.body.order_id);
  return { test, way, calls, written: [first] };
}

type Plot = {
  readonly trouble: () => Promise<void> | void;
  readonly seconds: number;
  readonly recovery: () => Promise<void> | void;
  readonly backMsMax: number;
};

/** Checks every failure: 503 in time and in the right shape, a fast recovery, and everything stored once. */
async function live(t: TestContext, stage: Stage, plot: Plot) {
  const calling = keepCalling(stage.calls);
  await calling.answeredAll();
  await plot.trouble();
  const troubledAt = performance.now();
  await delay(plot.seconds * 1000);
  await plot.recovery();
  const backAt = performance.now();
  await calling.answeredAll();
  const answered = await calling.stop();

  for (const kind of kinds) {
    const ofKind = answered.filter((entry) => entry.kind === kind);
    for (const entry of ofKind) assertAnsweredOrUnavailable(entry);
    const refused = ofKind.filter(({ reply }) => reply.status === 503);
    assert.ok(refused.length > 0 || knowsForAWhile(kind), `${kind} did not notice the trouble`);
    const slowestMs = Math.max(...ofKind.map(({ startedAt, endedAt }) => endedAt - startedAt));
    assert.ok(slowestMs < answerMsMax, `${kind} took ${slowestMs} ms`);
    const good = ofKind.find(({ endedAt, reply }) => endedAt > backAt && reply.status === 200);
    const backMs = (good?.endedAt ?? Number.POSITIVE_INFINITY) - backAt;
    t.diagnostic(
      `${kind}: ${refused.length} of ${ofKind.length} refused, slowest ${Math.round(slowestMs)} ms, back after ${Math.round(backMs)} ms`,
    );
    assert.ok(backMs < plot.backMsMax, `${kind} was served ${backMs} ms after the return`);
  }
  await assertEachOnce(stage, answered);
  return { troubledAt, backAt, answered };
}

/** Requests that were answered are stored; refused ones are sent again, and then each exists once. */
async function assertEachOnce(stage: Stage, answered: readonly Answered[]): Promise<void> {
  const { database } = stage.test;
  stage.written.push(...answered.filter(({ kind }) => kind === 'create' || kind === 'webhook'));
  const { rows } = await database.query<{ id: string }>({
    text: 'select invoice_id as id from orders',
  });
  const invoices = new Set(rows.map(({ id }) => id));
  for (const { kind, reply } of stage.written) {
    if (kind === 'create' && reply.status === 200) {
      assert.ok(invoices.has(reply.body.invoice_id), `${reply.body.invoice_id} is lost`);
    }
  }
  const refused = stage.written.filter(({ reply }) => reply.status !== 200);
  // Few enough concurrent requests that none is shed.
  for (let from = 0; from < refused.length; from += 50) {
    const replies = await Promise.all(refused.slice(from, from + 50).map(({ again }) => again()));
    for (const { status } of replies) assert.equal(status, 200);
  }
  for (const [kind, table] of [
    ['create', 'orders'],
    ['webhook', 'deliveries'],
  ]) {
    const { rowCount } = await database.query({ text: `select 1 from ${table}` });
    assert.equal(rowCount, stage.written.filter((entry) => entry.kind === kind).length, table);
  }
}

/** A token can be signed from the account cache for up to a second. */
function knowsForAWhile(kind: Kind): boolean {
  return kind === 'token';
}

function since(startedAt: number): number {
  return Math.round(performance.now() - startedAt);
}
