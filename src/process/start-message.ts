/** The message of a service that is ready. The very first start creates the demo account and shows the first calls. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { commandLine } from '../domain/audit.ts';
import { isLoopback } from '../domain/web-address.ts';
import { demoEnvFile } from '../embedded-postgres/database-folder.ts';
import { type Ids, writeDurably } from '../embedded-postgres/durable-file.ts';
import { demoProviderSettings } from '../providers/account-settings.ts';
import { listFirstAccounts, type NamedAccount } from '../store/accounts/accounts.ts';
import {
  createAccount,
  type NewAccount,
  simulatorWarning,
} from '../use-cases/accounts/create-account.ts';
import { inviteUser } from '../use-cases/users/invite-user.ts';
import type { Bootstrapped } from './bootstrap.ts';
import type { Config } from './config.ts';
import type { Log } from './log.ts';

/** Nobody reads mail there: the link is printed, and the address is what the owner signs in with. */
const demoOwnerEmail = 'owner@demo.example';

const cliCommand = 'npm run --silent cli --';

/** Contract 1.5: the very first start in the embedded mode creates a demo account, unless it serves the public. */
export async function startMessage(
  { databaseUrl, dataDir, publicUrl }: Config,
  { services, serviceUser }: Bootstrapped,
  log: Log,
): Promise<string> {
  const listed = listFirstAccounts(services.database, 2);
  // The service works by now: a message that cannot be completed must not end it.
  const accounts = databaseUrl === undefined ? await listed : await listed.catch(() => undefined);
  const isTrial = databaseUrl === undefined && isLoopback(new URL(publicUrl).hostname);
  if (!isTrial || accounts === undefined) return laterStartText(publicUrl, accounts);
  const { simulatorUrl = '' } = services.settings;
  const isSimulator = !(await isAnotherProgram(simulatorUrl));
  const notSimulator = `What answers at ${simulatorUrl} is not the simulator`;
  const [oldest] = accounts;
  if (oldest) {
    const { accountId, name } = oldest;
    const account = await services.accounts.get(accountId).catch(() => undefined);
    const isTrusted = Object.values(account?.providerApis ?? {}).some(
      ({ url }) => url === simulatorUrl,
    );
    const text = laterStartText(publicUrl, accounts);
    return isTrusted && !isSimulator
      ? `${notSimulator}, but ${accountId} (${name}) trusts it as both payment providers: stop that program.\n\n${text}`
      : text;
  }
  const demo = { name: 'Demo shop', providerSettings: demoProviderSettings() };
  const account = await createAccount(services, { ...demo, isSimulated: isSimulator }, commandLine);
  if (isSimulator) log.warn(simulatorWarning(services));
  const demoEnvPath = await writeDemoEnv(dataDir, publicUrl, account, serviceUser?.ids);
  const { accountId } = account;
  const owner = { accountId, email: demoOwnerEmail, role: 'owner' } as const;
  const { link } = await inviteUser(services, commandLine, owner);
  const text = firstStartText(publicUrl, account, demoEnvPath, link);
  return isSimulator
    ? text
    : `${notSimulator}, so the demo account does not use it: stop that program, then run "${cliCommand} account update ${accountId} --simulator".\n\n${text}`;
}

/** Asked before an account trusts it as both providers. False if nothing answers: it may start later. Contract 11.6. */
async function isAnotherProgram(simulatorUrl: string): Promise<boolean> {
  const signal = AbortSignal.timeout(simulatorAnswerMsMax);
  try {
    const reply = await fetch(`${simulatorUrl}/simulator`, { redirect: 'manual', signal });
    const answer: unknown = await reply.json().catch(() => undefined);
    return (answer as { name?: unknown } | undefined)?.name !== simulatorName;
  } catch {
    return false;
  }
}

/** What the simulator answers; see simulator/control-api.ts. */
const simulatorName = 'payment-order-simulator';
const simulatorAnswerMsMax = 1_000;

/** The demo account as shell variables (docs/decisions/0032-the-first-hour.md). Undefined if it cannot be written. */
export async function writeDemoEnv(
  dataDir: string,
  publicUrl: string,
  { accountId, accessKey, accessSecret }: NewAccount,
  owner: Ids | undefined,
): Promise<string | undefined> {
  const path = join(dataDir, demoEnvFile);
  const variables = {
    SERVICE_URL: publicUrl,
    ACCOUNT_ID: accountId,
    ACCESS_KEY: accessKey,
    ACCESS_SECRET: accessSecret,
  };
  const lines = Object.entries(variables).map(([name, value]) => `${name}='${value}'`);
  const text = `# The demo account. Load it into a shell with: . ${path}\n${lines.join('\n')}\n`;
  try {
    // Left there by somebody else, it may belong to another user.
    await rm(path, { force: true });
    await writeDurably(path, text, owner);
    return path;
  } catch {
    return undefined;
  }
}

/** For every start but the first. `accounts` are the oldest, two are enough; undefined if they could not be read. */
function laterStartText(publicUrl: string, accounts: readonly NamedAccount[] | undefined): string {
  const lines = [...(accounts ? accountLines(accounts) : []), ['API', `${publicUrl}/docs`]];
  return `${readyText(publicUrl)}\n\n${alignedLines(lines)}\n`;
}

function accountLines([account, other]: readonly NamedAccount[]): string[][] {
  return account
    ? [
        ['account', `${account.accountId} (${account.name})${other ? ' and others' : ''}`],
        ...(other ? [['accounts', `${cliCommand} account list`]] : []),
        ['new secret', `${cliCommand} account rotate ${account.accountId} access-secret`],
      ]
    : [['first account', `${cliCommand} account create --name "My shop"`]];
}

function readyText(publicUrl: string): string {
  return `payment-order-service is ready on ${publicUrl}`;
}

function alignedLines(lines: ReadonlyArray<readonly string[]>): string {
  const width = Math.max(...lines.map(([name = '']) => name.length));
  return lines.map(([name = '', value]) => `  ${name.padEnd(width)}  ${value}`).join('\n');
}

/** `invitationLink` makes whoever opens it the owner of the demo account. */
export function firstStartText(
  publicUrl: string,
  account: NewAccount,
  demoEnvPath: string | undefined,
  invitationLink: string,
): string {
  const credentials = JSON.stringify({
    access_key: account.accessKey,
    access_secret: account.accessSecret,
  });
  const order = JSON.stringify({
    invoice_id: 'INV-1001',
    currency: 'INR',
    amount_before_tax: 100,
    tax: 18,
    total_amount: 118,
    user: { email: 'asha@example.com', first_name: 'Asha', mobile_number: 9876543210 },
    shipping_address: { address_1: '12 MG Road', city: 'Bengaluru', pincode: '560001' },
    order_line_items: [{ title: 'Tea', rate: 100, quantity: 1 }],
  });
  const printed = [
    ['account_id', account.accountId],
    ['access_key', account.accessKey],
    ['access_secret', account.accessSecret],
    ...account.webhooks.map(({ secretKind, secret }) => [secretKind.replaceAll('-', '_'), secret]),
  ];
  return `${readyText(publicUrl)}

A demo account was created. Its secrets are shown only now${demoEnvPath ? `; the first three are also in\n${demoEnvPath}` : '.'}

${alignedLines(printed)}

Open the dashboard with this link. It works once, within 24 hours, and makes you ${demoOwnerEmail}.

  ${invitationLink}

Paste these lines into a terminal: a token, an order, the order again.

  TOKEN=$(curl -s ${publicUrl}/api/v3/generate-token -d '${credentials}' | sed 's/.*"token":"\\([^"]*\\)".*/\\1/')
  curl -s ${publicUrl}/api/v3/create-order -H "Authorization: Bearer $TOKEN" -d '${order}'
  curl -s "${publicUrl}/api/v3/order?invoice_id=INV-1001" -H "Authorization: Bearer $TOKEN"

The README continues from here to a payment and a refund. All calls are described at ${publicUrl}/docs
`;
}
