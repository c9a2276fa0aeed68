/** The account that the load is sent for. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const root = new URL('../../', import.meta.url).pathname;

export type Shop = {
  readonly dataDir: string;
  readonly accountId: string;
  readonly keys: { readonly access_key: string; readonly access_secret: string };
  readonly authorization: string;
  readonly partnerWebhookSecret: string;
  readonly bankGatewaySecret: string;
};

export async function openShop(url: string, dataDir: string): Promise<Shop> {
  const account = await runCli(dataDir, 'account', 'create', '--name', 'Bench shop', '--simulator');
  const { access_key, access_secret } = account;
  const shop = {
    dataDir,
    accountId: account.account_id,
    keys: { access_key, access_secret },
    authorization: '',
    partnerWebhookSecret: account.partner_webhook_secret,
    bankGatewaySecret: account.bank_gateway_secret,
  };
  return signIn(url, shop);
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
  await runCli(dataDir, 'account', 'update', accountId, '--partner-url', url);
}

async function runCli(dataDir: string, ...words: readonly string[]) {
  const env = { ...process.env, DATA_DIR: dataDir };
  const command = ['src/cli/main.ts', ...words, '--json'];
  const { stdout } = await promisify(execFile)(process.execPath, command, { cwd: root, env });
  return JSON.parse(stdout);
}
