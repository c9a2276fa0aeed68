/** Pages of disputes read no more than they show, however many there are. Contract 17.6. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { findFilteredDisputes } from '../../../src/store/disputes/dispute-lists.ts';
import { startTestService } from '../../support/test-service.ts';

const { database, createAccount } = await startTestService();
const { accountId } = await createAccount();

before(async () => {
  await database.query({
    text: `insert into disputes (account_id, order_id, provider, dispute_id, transaction_id, status,
                                 respond_by, action_required, changed_at)
           select $1, 'o_' || n, 'partner', 'disp_' || n, 'o_' || n || '-1',
                  case when n % 10 = 0 then 'open' else 'lost' end,
                  timestamptz '2026-11-19' + n * interval '1 minute', false,
                  timestamptz '2026-10-01' + n * interval '1 minute'
             from generate_series(1, 20000) n`,
    values: [accountId],
  });
  await database.query({ text: 'analyze disputes' });
});

/** The plan of the page behind a cursor. */
async function planOf(cursor: string | undefined): Promise<string> {
  const plans: string[] = [];
  const explaining = {
    ...database,
    query: (async ({ text, values }) => {
      const { rows } = await database.query<Record<string, string>>({
        text: `explain (analyze, timing off, buffers off) ${text}`,
        values,
      });
      plans.push(rows.map((row) => row['QUERY PLAN']).join('\n'));
      return { rows: [], rowCount: 0 };
    }) as typeof database.query,
  };
  const range = { filter: {}, before: cursor, limit: 50, lookedAtMax: 250 };
  await findFilteredDisputes(explaining, accountId, range);
  return plans.join('\n');
}

const ranked = (rank: number) => `${String(rank).padStart(16, '0')}/o_1/disp_1`;
const places = {
  'the first page': undefined,
  'a page of deadlines': ranked(9e15 - Date.parse('2026-11-25T00:00:00Z')),
  'a page of final ones': ranked(Date.parse('2026-10-10T00:00:00Z')),
};
for (const [name, cursor] of Object.entries(places)) {
  test(`${name} is read from indexes in their order`, async () => {
    const plan = await planOf(cursor);
    // The parts are sorted together once; no part is sorted by itself.
    assert.doesNotMatch(plan, /Bitmap|Seq Scan/, plan);
    assert.match(plan, /Index Scan Backward using disputes_final/);
    const read = [...plan.matchAll(/Index Scan.* on disputes.*actual rows=(\d+)/g)];
    assert.ok(read.length > 0, plan);
    for (const [line, rows] of read) assert.ok(Number(rows) <= 250, line);
  });
}
