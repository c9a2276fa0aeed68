/** Very many accounts to send load for. */

import { commandLine } from '../../src/domain/audit.ts';
import type { Database } from '../../src/postgres/database.ts';
import { createServices } from '../../src/process/create-services.ts';
import { createAccount } from '../../src/use-cases/accounts/create-account.ts';
import type { Shop } from './shop.ts';

const concurrency = 8;

type ShopsStage = {
  readonly dataDir: string;
  readonly database: Database;
  readonly masterKeyHex: string;
};

/** By the use case itself: a process of the command line for each would take hours. */
export async function createShops(
  { dataDir, database, masterKeyHex }: ShopsStage,
  count: number,
): Promise<Shop[]> {
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
        webhookSecret: secretOf('partner-webhook-secret'),
        bankGatewaySecret: secretOf('bank-gateway-secret'),
      });
    }
  };
  await Promise.all(Array.from({ length: concurrency }, createInTurn));
  return shops;
}
