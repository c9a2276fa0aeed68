/** The audit log: pages, who sees what, and that nothing in it can be changed. Contract 13.3. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commandLine } from '../../../src/domain/audit.ts';
import { appendAudit } from '../../../src/store/accounts/audit.ts';
import { codeOf, join } from '../../support/dashboard.ts';
import { startTestService } from '../../support/test-service.ts';

const service = await startTestService();
const { accountId } = await service.createAccount();
const owner = await join(service, accountId, 'owner');

test('the log is read in pages, newest first, each entry once, also those of one moment', async () => {
  const now = service.services.clock();
  const done = Array.from({ length: 25 }, (_, index) => ({
    accountId,
    action: 'order.rebuilt' as const,
    object: `o_${index}`,
  }));
  await service.database.transaction((tx) => appendAudit(tx, commandLine, now, done));
  const seen: { audit_id: string; at: string }[] = [];
  let next: string | null = '';
  while (next !== null) {
    const { body, status } = await owner.get(`/audit?limit=10${next && `&after=${next}`}`);
    assert.equal(status, 200);
    assert.ok(body.entries.length <= 10);
    seen.push(...body.entries);
    next = body.next;
  }
  assert.equal(seen.length, 28);
  assert.equal(new Set(seen.map((entry) => entry.audit_id)).size, 28);
  assert.deepEqual(
    seen.map(({ at }) => at),
    seen
      .map(({ at }) => at)
      .toSorted()
      .toReversed(),
  );
  const { audit_id, at, ...oldest } = seen.at(-1) ?? {};
  assert.deepEqual(oldest, {
    actor: 'cli',
    user_id: null,
    address: null,
    action: 'account.created',
    object: accountId,
    note: null,
    details: {},
  });
});

test('a page that is none is refused', async () => {
  for (const query of [
    'after=x',
    'after=1-aud_x',
    'limit=0',
    'limit=201',
    'limit=x',
    'limit=1&limit=2',
  ]) {
    assert.deepEqual(codeOf(await owner.get(`/audit?${query}`)), [
      400,
      'INVALID_REQUEST_PARAMETER',
    ]);
  }
});

test('an account sees its own log only', async () => {
  const other = await service.createAccount();
  const theirs = await join(service, other.accountId, 'owner');
  const { entries } = (await theirs.get('/audit')).body;
  assert.deepEqual(
    entries.map(({ action }: { action: string }) => action),
    ['user.joined', 'user.invited', 'account.created'],
  );
});

test('notes are for operators: they may mention a consumer', async () => {
  const viewer = await join(service, accountId, 'viewer');
  const operator = await join(service, accountId, 'operator');
  const resolved = {
    accountId,
    action: 'flag.resolved',
    object: 'x',
    note: 'Asha called',
  } as const;
  await service.database.transaction((tx) =>
    appendAudit(tx, commandLine, service.services.clock(), resolved),
  );
  const newest = async ({ get }: typeof viewer) =>
    (await get('/audit?limit=1')).body.entries[0].note;
  assert.equal(await newest(viewer), null);
  assert.equal(await newest(operator), 'Asha called');
});

/** The role of the service owns the tables; the role of the tests may do everything. */
test('the role of the service can neither change nor delete an entry, but can erase what a note says', async () => {
  const { database } = service;
  const role = `service_${accountId.slice(4).toLowerCase()}`;
  // On a cluster, every node lets the role in.
  await database.query({ text: `create role ${role} login` });
  await database.query({ text: `alter table audit owner to ${role}` });
  const asService = (text: string) =>
    database.transaction(async (tx) => {
      await tx.query({ text: `set local role ${role}` });
      return tx.query({ text });
    });
  const refused = [
    "update audit set actor = 'nobody'",
    "update audit set details = '{}'",
    'delete from audit',
    'truncate audit',
  ];
  for (const text of refused) await assert.rejects(asService(text), /permission denied/, text);
  await asService(`insert into audit (account_id, audit_id, at, actor, action, object, details)
                   values ('${accountId}', 'aud_x', now(), 'cli', 'order.rebuilt', 'x', '{}')`);
  await asService(`select note from audit where account_id = '${accountId}' for update`);
  const { rowCount } = await asService(`update audit set note = 'erased' where note is not null`);
  assert.equal(rowCount, 1);
  await database.query({ text: `alter table audit owner to current_user` });
  await database.query({ text: `drop role ${role}` });
});
