/**
 * A flood of deliveries that match no order, over HTTP within a minute: what other requests cost meanwhile, and during
 * the retries of the minute after it, against what they cost before.
 */
import { capturedWebhook } from '../../harness/captured-webhook.ts';

import { sendEach } from '../send-each.ts';
import { type Cost, combineCosts } from './cost.ts';
import { kinds, measureKind } from './kinds.ts';
import type { Sizes } from './options.ts';
import { type Row, tableOf } from './results.ts';
import { fillPaidOrders, type Stage, shopOf, withStage } from './stage.ts';

const connections = 32;
const floodSeconds = 60;
const retrySeconds = 60;
/** Before the flood. */
const warmUpRounds = 1;
const quietRounds = 4;

export async function measureFlood({ flood, smallOrders }: Sizes): Promise<string> {
  let text = '';
  await withStage(
    'flood',
    (stage) => fillPaidOrders(stage, smallOrders),
    async (stage) => {
      await measureWhile(stage, times(warmUpRounds));
      const before = await measureWhile(stage, times(quietRounds));
      const sending = startFlood(stage, flood);
      const during = await measureWhile(stage, sending.isRunning);
      const { seconds, answers } = await sending.sent;
      const until = performance.now() + retrySeconds * 1_000;
      const after = await measureWhile(stage, () => performance.now() < until);
      text = `${flood} deliveries that match no order, sent in ${seconds.toFixed(0)} s and answered ${JSON.stringify(Object.fromEntries(answers))}.
Their own CPU is part of the cost. ${await describeRetries(stage)}

While they are sent:

${tableOf('before', 'during', rowsOf(before, during))}

During their retries, in the minute after:

${tableOf('before', 'after', rowsOf(before, after))}`;
    },
  );
  return text;
}

function startFlood(stage: Stage, count: number) {
  const requests = Array.from({ length: count }, (_entry, at) => {
    const name = `flood${process.pid}n${at}`;
    return capturedWebhook(shopOf(stage), name, { invoice_id: `OTHER-${name}` });
  });
  const perSecond = count / floodSeconds;
  let isOver = false;
  const sent = sendEach(stage.service.url, {
    requests,
    connections,
    perSecond,
    secondsMax: 3 * floodSeconds,
  }).finally(() => {
    isOver = true;
  });
  return { sent, isRunning: () => !isOver };
}

type Costs = Readonly<Record<string, Cost>>;

/** All kinds in turn, again and again, at least once. */
async function measureWhile(stage: Stage, isOn: () => boolean): Promise<Costs> {
  const found = Object.entries(kinds).map(([what, kind]) => ({ what, kind, costs: [] as Cost[] }));
  do {
    for (const { kind, costs } of found) costs.push(await measureKind(stage, kind));
  } while (isOn());
  return Object.fromEntries(found.map(({ what, costs }) => [what, combineCosts(costs)]));
}

function times(count: number): () => boolean {
  let left = count;
  return () => {
    left -= 1;
    return left > 0;
  };
}

function rowsOf(before: Costs, grown: Costs): Row[] {
  return Object.entries(before).flatMap(([what, base]) => {
    const own = grown[what];
    return own ? [{ what, base, grown: own }] : [];
  });
}

/** Shows whether the retries keep up with their schedule. */
async function describeRetries(stage: Stage): Promise<string> {
  const { rows } = await stage.database.query<{ tries: number; late: number; oldest: number }>({
    text: `select sum(tries)::integer as tries,
                  (count(*) filter (where next_try_at < now()))::integer as late,
                  coalesce(extract(epoch from now() - min(next_try_at)), 0)::integer as oldest
             from deliveries where account_id = $1 and state = 'parked'`,
    values: [shopOf(stage).accountId],
  });
  const [row] = rows;
  if (!row) return '';
  const { tries, late, oldest } = row;
  return `A minute later they have had ${tries} tries; ${late} are overdue, the oldest by ${Math.max(0, oldest)} s.`;
}
