/** `verify`: checks the invariants on the live database; exit status 1 on a breach. */
import { type Verified, verifyInvariants } from '../use-cases/verify-invariants.ts';
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

function renderVerified({ orders, transactions, checked, breaches }: Verified): string {
  const lines = checked.map((invariant) => {
    const own = breaches.filter((breach) => breach.invariant === invariant);
    const found = own.map(({ where, what }) => `\n    ${where}: ${what}`);
    return `${own.length === 0 ? 'holds ' : 'BROKEN'}  ${invariant}${found.join('')}`;
  });
  return [...lines, '', `${orders} orders and ${transactions} transactions looked at`].join('\n');
}
