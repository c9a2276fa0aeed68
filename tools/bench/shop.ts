/** The account that the load is sent for. */
import { runJsonCommand } from '../harness/command-line.ts';

export type Shop = {
  readonly dataDir: string;
  readonly accountId: string;
  readonly keys: { readonly access_key: string; readonly access_secret: string };
  readonly authorization: string;
  readonly webhookSecret: string;
  readonly bankGatewaySecret: string;
};

export async function openShop(url: string, dataDir: string): Promise<Shop> {
  const words = ['account', 'create', '--name', 'Bench shop', '--simulator'];
  return signIn(url, shopOf(await runJsonCommand(words, { DATA_DIR: dataDir }), dataDir));
}

/** The shop of what `account create` printed. */
export function shopOf(account: Readonly<Record<string, unknown>>, dataDir = ''): Shop {
  return {
    dataDir,
    accountId: String(account.account_id),
    keys: {
      access_key: String(account.access_key),
      access_secret: String(account.access_secret),
    },
    authorization: '',
    webhookSecret: String(account.partner_webhook_secret),
    bankGatewaySecret: String(account.bank_gateway_secret),
  };
}

/** Gets a fresh token, for measurements that outlast the lifetime of one. */
export async function signIn(url: string, shop: Shop): Promise<Shop> {
  const response = await fetch(`${url}/api/v3/generate-token`, {
    method: 'POST',
    body: JSON.stringify(shop.keys),
  });
  const { token } = (await response.json()) as { token: string };
  return { ...shop, authorization: `Bearer ${token}` };
}

export async function setPartnerUrl({ accountId, dataDir }: Shop, url: string): Promise<void> {
  const words = ['account', 'update', accountId, '--partner-url', url];
  await runJsonCommand(words, { DATA_DIR: dataDir });
}
