/** Checks a filled shop, and prints where to look at it. */
import type { Stage } from './stage.ts';
import { heading } from './words.ts';

const ownerEmail = 'you@nilgiri.example';

/** True if `verify` finds nothing wrong. */
export async function showFilled(
  { cli, accountId, simulator }: Stage,
  seconds: number,
): Promise<boolean> {
  const { orders, transactions, breaches } = await cli('verify');
  const wrong = breaches as readonly unknown[];
  console.log(
    `\nFilled in ${seconds.toFixed(0)} s. verify: ${orders} orders, ${transactions} transactions, breaches: ${wrong.length}`,
  );
  for (const breach of wrong) console.log(`  ${JSON.stringify(breach)}`);
  const invitation = ['user', 'invite', accountId, '--email', ownerEmail, '--role', 'owner'];
  const link = String((await cli(...invitation)).link);
  console.log(`
${heading('Open this link once to become an owner, and set a password:')}
  ${link}

The dashboard   ${link.replace(/\/invitation\/.*$/, '')}  (sign in as ${ownerEmail})
Both providers  ${simulator.url}

Ctrl-C ends the service and removes everything.`);
  return wrong.length === 0;
}
