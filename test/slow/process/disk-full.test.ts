import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { type Database, openDatabase } from '../../../src/postgres/database.ts';
import { readServerPid } from '../../../tools/harness/server-pid.ts';
import { waitUntil } from '../../../tools/harness/wait-until.ts';
import {
  createTemporaryFolder,
  type ServiceProcess,
  startServiceProcess,
} from '../../support/service-process.ts';
import {
  type Answered,
  assertAnsweredOrUnavailable,
  assertUnavailable,
  type Calls,
  call,
  callsOf,
  type Kind,
} from '../../support/shop-callers.ts';
import { letSuperuserIn } from '../../support/test-cluster.ts';

const folder = await createTemporaryFolder();
/** Mounting needs privileges that a container may lack. */
const skip = canMount() ? false : 'a small disk can be mounted by root only';
const backMsMax = 2_000;

const { service, calls, disk, database, written } = skip ? noStage() : await startOnSmallDisk();

test('a full disk answers writes with 503 and stores nothing, enquiries still work, and the service recovers by itself', {
  skip,
}, async (t) => {
  const serverPid = await readServerPid(join(disk, 'data'));
  // Writes that fit into existing pages still succeed.
  await fill();
  await waitUntil('a create is refused', async () => (await write('create')) === 503);
  await waitUntil('a webhook is refused', async () => (await write('webhook')) === 503);
  for (const kind of ['enquiry', 'order', 'token', 'ready'] as const) {
    assert.equal((await calls[kind]()()).status, 200, kind);
  }
  assert.match(service.output(), /"code":"53100"/);
  const kept = written.filter(({ reply }) => reply.status === 200);
  assert.deepEqual(await countRows(), countKinds(kept));

  t.diagnostic(`written again ${await freeAndReturn()} ms after there was room`);
  assert.equal(await readServerPid(join(disk, 'data')), serverPid);
  await assertEachOnce();
});

test('a disk too full for the write-ahead log answers everything with 503, and the service recovers by itself', {
  skip,
}, async (t) => {
  await fill();
  await waitUntil('the server stopped and could not be restarted', async () => {
    // The next write needs another log file. When none is left from before there is no room for it, so the server stops.
    await database.query({ text: 'select pg_switch_wal()' }).catch(() => undefined);
    await write('create');
    return ['PANIC: .+No space left on device', 'the database server does not start'].every(
      (words) => new RegExp(words).test(service.output()),
    );
  });
  for (const kind of ['create', 'enquiry', 'webhook', 'ready'] as const) {
    assertUnavailable(kind, await calls[kind]()());
  }

  t.diagnostic(`written again ${await freeAndReturn()} ms after there was room`);
  await assertEachOnce();
});

/** Checks the shape of the reply, and remembers it for the check at the end. */
async function write(kind: 'create' | 'webhook'): Promise<number> {
  const entry = await call(kind, calls);
  assertAnsweredOrUnavailable(entry);
  written.push(entry);
  return entry.reply.status;
}

async function fill(): Promise<void> {
  const file = await open(join(disk, 'filler'), 'w');
  for (const size of [1 << 20, 1 << 12]) {
    const isFull = (error: NodeJS.ErrnoException) => {
      assert.equal(error.code, 'ENOSPC');
      return { bytesWritten: 0 };
    };
    const chunk = Buffer.alloc(size, 1);
    while ((await file.write(chunk).catch(isFull)).bytesWritten === size);
  }
  await file.close();
}

/** Frees the disk and returns how long it took until both kinds of writes were answered. */
async function freeAndReturn(): Promise<number> {
  await rm(join(disk, 'filler'));
  const freedAt = performance.now();
  await waitUntil('creates are answered', async () => (await write('create')) === 200);
  await waitUntil('webhooks are answered', async () => (await write('webhook')) === 200);
  const returnMs = performance.now() - freedAt;
  assert.ok(returnMs < backMsMax, `it took ${returnMs} ms`);
  return Math.round(returnMs);
}

/** Sends every refused request again; afterwards each exists once. */
async function assertEachOnce(): Promise<void> {
  for (const { reply, again } of written) {
    if (reply.status !== 200) assert.equal((await again()).status, 200);
  }
  assert.deepEqual(await countRows(), countKinds(written));
}

function countKinds(entries: readonly Answered[]) {
  const count = (wanted: Kind) => entries.filter(({ kind }) => kind === wanted).length;
  return { orders: count('create'), deliveries: count('webhook') };
}

async function countRows() {
  const { rows } = await database.query({
    text: `select (select count(*) from orders) as orders,
                  (select count(*) from deliveries) as deliveries`,
  });
  return { ...rows[0] };
}

type Stage = {
  readonly service: ServiceProcess;
  readonly calls: Calls;
  /** The disk as this process sees it. */
  readonly disk: string;
  readonly database: Database;
  /** Every create and webhook that was sent. */
  readonly written: Answered[];
};

/** Starts the service with its data on a small disk in its own mount namespace, which disappears with it. */
async function startOnSmallDisk(): Promise<Stage> {
  const path = join(folder, 'disk');
  await mkdir(path);
  const script = `mount -t tmpfs -o size=128m none "${path}" && exec "$0" src/main.ts`;
  const service = await startServiceProcess(
    { DATA_DIR: join(path, 'data') },
    { command: ['unshare', '--mount', 'sh', '-c', script, process.execPath] },
  );
  const disk = `/proc/${service.pid}/root${path}`;
  const database = openDatabase(await letSuperuserIn(join(disk, 'data')));
  after(() => database.close());

  const find = (name: string) =>
    new RegExp(`^  ${name} +(\\S+)$`, 'm').exec(service.output())?.[1] ?? '';
  const credentials = {
    accountId: find('account_id'),
    partnerWebhookSecret: find('partner_webhook_secret'),
    accessKey: find('access_key'),
    accessSecret: find('access_secret'),
  };
  const { reply } = await call('token', callsOf(service, { ...credentials, token: '' }, ''));
  const shop = { ...credentials, token: reply.body.token };
  const first = await call('create', callsOf(service, shop, ''));
  const calls = callsOf(service, shop, first.reply.body.order_id);
  return { service, calls, disk, database, written: [first] };
}

function noStage(): Stage {
  return {} as Stage;
}

function canMount(): boolean {
  const script = `mount -t tmpfs -o size=8m none "${folder}"`;
  const isRoot = process.getuid?.() === 0;
  return isRoot && spawnSync('unshare', ['--mount', 'sh', '-c', script]).status === 0;
}
