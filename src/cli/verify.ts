/** `verify`: checks the invariants on the live database; exit status 1 on a breach. */
import { type Verified, verifyInvariants } from '../use-cases/maintenance/verify-invariants.ts';
import { type Command, jsonOption, readWords } from './command.ts';

export const verify: Command = {
  name: ['verify'],
  usage: 'verify [--json]',
  parse: (words) => {
    const { values } = readWords(words, jsonOption);
    return {
      json: values.json,
      run: verifyInvariants,
      render: (outcome) => renderVerified(outcome as Verified),
      isFailure: (outcome) => (outcome as Verified).breaches.length > 0,
    };
  },
};

function renderVerified(verified: Verified): string {
  const { orders, transactions, checked, breaches, pruned } = verified;
  const lines = checked.map((invariant) => {
    const own = breaches.filter((breach) => breach.invariant === invariant);
    const found = own.map(({ where, what }) => `\n    ${where}: ${what}`);
    return `${own.length === 0 ? 'holds ' : 'BROKEN'}  ${invariant}${found.join('')}`;
  });
  const looked = [`${orders} orders and ${transactions} transactions looked at`];
  if (pruned.inboxes > 0) looked.push(`${pruned.inboxes} not folded: bodies were pruned by age`);
  if (pruned.histories > 0)
    looked.push(`${pruned.histories} not replayed: history was pruned by age`);
  return [...lines, '', ...looked].join('\n');
}
