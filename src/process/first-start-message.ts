/** The message printed when the service is ready; at the very first start it shows how to make the first calls. */
import type { NamedAccount } from '../store/accounts/accounts.ts';
import type { NewAccount } from '../use-cases/accounts/create-account.ts';

/** Nobody reads mail there: the link is printed, and the address is what the owner signs in with. */
export const demoOwnerEmail = 'owner@demo.example';

const commandLine = 'npm run --silent cli --';

/**
 * For every start but the first: where to go from here. `accounts` are the oldest ones, two are enough; undefined if they
 * could not be read.
 */
export function laterStartText(
  publicUrl: string,
  accounts: readonly NamedAccount[] | undefined,
): string {
  const lines = [...(accounts ? accountLines(accounts) : []), ['API', `${publicUrl}/docs`]];
  return `${readyText(publicUrl)}\n\n${alignedLines(lines)}\n`;
}

function accountLines([account, other]: readonly NamedAccount[]): string[][] {
  return account
    ? [
        ['account', `${account.accountId} (${account.name})${other ? ' and others' : ''}`],
        ...(other ? [['accounts', `${commandLine} account list`]] : []),
        ['new secret', `${commandLine} account rotate ${account.accountId} access-secret`],
      ]
    : [['first account', `${commandLine} account create --name "My shop"`]];
}

/** For a first start at which another program answers in the simulator's place. */
export function otherProgramText(simulatorUrl: string, { accountId }: NamedAccount): string {
  return `What answers at ${simulatorUrl} is not the simulator, so the demo account does not use it: stop that program, then run "${commandLine} account update ${accountId} --simulator".`;
}

/** For a later start at which another program does. */
export function trustedProgramText(
  simulatorUrl: string,
  { accountId, name }: NamedAccount,
): string {
  return `What answers at ${simulatorUrl} is not the simulator, but ${accountId} (${name}) trusts it as both payment providers: stop that program.`;
}

function readyText(publicUrl: string): string {
  return `payment-order-service is ready on ${publicUrl}`;
}

function alignedLines(lines: ReadonlyArray<readonly string[]>): string {
  const width = Math.max(...lines.map(([name = '']) => name.length));
  return lines.map(([name = '', value]) => `  ${name.padEnd(width)}  ${value}`).join('\n');
}

/**
 * `invitationLink` makes whoever opens it the owner of the demo account. `demoEnvPath` is the file that has the credentials as shell variables, if it could be
 * written.
 */
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
