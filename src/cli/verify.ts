/** `verify`: checks the invariants on the live database; exit status 1 on a breach. */
import { verifyInvariants } from '../use-cases/verify-invariants.ts';
import { type Command, jsonOption, readWords } from './command.ts';

export const verify: Command = {
  name: ['verify'],
  usage: 'verify [--json]',
  parse: (words) => {
    const { values } = readWords(words, jsonOption);
    return {
      json: values.json,
      run: async (services) => {
        const { orders, transactions, checked, breaches } = await verifyInvariants(services);
        return {
          checked: checked.map((invariant) => ({
            invariant,
            breaches: breaches.filter((breach) => breach.invariant === invariant).length,
          })),
          orders,
          transactions,
          breaches: breaches.map(({ invariant, where, what }) => ({ invariant, where, what })),
        };
      },
      isFailure: ({ breaches }) => Array.isArray(breaches) && breaches.length > 0,
    };
  },
};
