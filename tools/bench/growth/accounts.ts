/** Accounts: the same number of orders in one account and spread over very many, with requests for a sample of them. */

import { createServices } from '../../../src/create-services.ts';
import { commandLine } from '../../../src/domain/audit.ts';
import { readMasterKeys } from '../../../src/embedded-postgres/master-key-file.ts';
import { createAccount } from '../../../src/use-cases/accounts/create-account.ts';
import type { Shop } from '../shop.ts';
import { compareStages } from './kinds.ts';
import type { Sizes } from './options.ts';
import { type Row, tableOf } from './results.ts';
import { fillPaidOrders, type Stage, withStage } from './stage.ts';

const ordersOfAccount = 100;
/** The accounts that the requests are sent for. */
const sampleMax = 1_000;
const concurrency = 8;

export async function measureAccounts({ accounts }: Sizes): Promise<string> {
  let rows: readonly Row[] = [];
  const orders = accounts * ordersOfAccount;
  const fillMany = async (stage: Stage) => {
    const shops = await createShops(stage, accounts);
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

/** By the use case itself: a process of the command line for each would take hours. */
async function createShops({ dataDir, database }: Stage, count: number): Promise<Shop[]> {
  const [masterKeyHex = ''] = await readMasterKeys(dataDir);
  const settings = {
    publicUrl: 'http://127.0.0.1',
    orderLapseSeconds: 86_400,
    simulatorUrl: undefined,
  };
  const services = createServices({ database, masterKeyHex, settings });
  const shops: Shop[] = [];
  let started = 0;
  const createInTurn = async () => {
    while (started < count) {
      started += 1;
      const account = await createAccount(services, { name: 'Bench shop' }, commandLine);
      const secretOf = (kind: string) =>
        account.webhooks.find(({ secretKind }) => secretKind === kind)?.secret ?? '';
      shops.push({
        dataDir,
        accountId: account.accountId,
        keys: { access_key: account.accessKey, access_secret: account.accessSecret },
        authorization: '',
        partnerWebhookSecret: secretOf('partner-webhook-secret'),
        bankGatewaySecret: secretOf('bank-gateway-secret'),
      });
    }
  };
  await Promise.all(Array.from({ length: concurrency }, createInTurn));
  return shops;
}
