/** `verify`: checks the invariants on the live database. The exit status is 1 when one is broken. */
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
  const summary = [`${orders} orders and ${transactions} transactions checked`];
  if (pruned.inboxes > 0) summary.push(`${pruned.inboxes} not folded: bodies were pruned by age`);
  if (pruned.histories > 0)
    summary.push(`${pruned.histories} not replayed: history was pruned by age`);
  return [...lines, '', ...summary].join('\n');
}
