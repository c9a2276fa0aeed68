/**
 * `npm run bench:growth [-- parts] [--orders N]`: what a request costs when the data grows in each direction, against
 * the small case of the same run. Writes `GROWTH.md`. The default of 10,000,000 orders needs about 40 GB of disk;
 * `--orders 1000000` scales the large cases down.
 */
import { measureAccounts } from './accounts.ts';
import { measureFlood } from './flood.ts';
import { type PartName, partNames, readOptions, type Sizes } from './options.ts';
import { compareOrders, compareVerify, withOrders } from './orders.ts';
import { measurePayments } from './payments.ts';
import { measurePolls } from './polls.ts';
import { saveSection } from './results.ts';
import { measureUnmatched } from './unmatched.ts';

const titles: Readonly<Record<PartName, string>> = {
  payments: 'Payments of one order',
  unmatched: 'Deliveries that never match',
  flood: 'A flood of deliveries that never match',
  accounts: 'Accounts',
  polls: 'Polls',
  orders: 'Orders',
  verify: 'Verify',
};

const { parts, sizes } = readOptions(process.argv.slice(2));
const has = (part: PartName) => parts.includes(part);

if (has('payments')) await save('payments', measurePayments);
if (has('unmatched')) await save('unmatched', measureUnmatched);
if (has('flood')) await save('flood', measureFlood);
if (has('accounts')) await save('accounts', measureAccounts);
if (has('polls')) await save('polls', measurePolls);
if (has('orders') || has('verify')) {
  await withOrders(sizes, async (small, large) => {
    if (has('orders')) await save('orders', (own) => compareOrders(small, large, own));
    if (has('verify')) await save('verify', (own) => compareVerify(small, large, own));
  });
}

/** A part that fails does not take the results of the others with it. */
async function save(name: PartName, run: (sizes: Sizes) => Promise<string>): Promise<void> {
  try {
    const text = await run(sizes);
    console.log(`\n${titles[name]}\n${text}\n`);
    await saveSection(partNames, { name, title: titles[name], text });
  } catch (error) {
    console.error(`${name} failed:`, error);
    process.exitCode = 1;
  }
}
