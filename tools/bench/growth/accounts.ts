/** Accounts: the same number of orders in one account and spread over very many, with requests for a sample of them. */
import { readMasterKeys } from '../../../src/embedded-postgres/master-key-file.ts';
import { createShops } from '../shops.ts';
import { compareStages } from './kinds.ts';
import type { Sizes } from './options.ts';
import { type Row, tableOf } from './results.ts';
import { fillPaidOrders, type Stage, withStage } from './stage.ts';

const ordersOfAccount = 100;
/** The accounts that the requests are sent for. */
const sampleMax = 1_000;

export async function measureAccounts({ accounts }: Sizes): Promise<string> {
  let rows: readonly Row[] = [];
  const orders = accounts * ordersOfAccount;
  const fillMany = async (stage: Stage) => {
    const [masterKeyHex = ''] = await readMasterKeys(stage.dataDir);
    const shops = await createShops({ ...stage, masterKeyHex }, accounts);
    const accountIds = shops.map(({ accountId }) => accountId);
    const filling = await fillPaidOrders(stage, orders, accountIds);
    return { ...filling, shops: shops.slice(0, sampleMax) };
  };
  const fillOne = (stage: Stage) => fillPaidOrders(stage, orders);
  await withStage(`${accounts} accounts`, fillMany, (grown) =>
    withStage('1 account', fillOne, async (base) => {
      rows = await compareStages(base, grown);
    }),
  );
  return `${orders} paid orders spread over ${accounts} accounts against the same number in one. Requests are sent for ${Math.min(accounts, sampleMax)}
of the accounts in turn.

${tableOf('1 account', `${accounts} accounts`, rows)}`;
}
