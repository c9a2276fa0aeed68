/** `consumer erase`: permanently replaces the personal data of a consumer with a marker. Contract 8.7. */
import { findEmail, findPhones } from '../domain/personal-data/erased-consumer.ts';
import { eraseConsumer } from '../use-cases/consumers/erase-consumer.ts';
import { type Command, jsonOption, readWords, UsageError } from './command.ts';

export const consumerErase: Command = {
  name: ['consumer', 'erase'],
  usage: 'consumer erase ACCOUNT_ID --email E | --mobile M [--json]',
  parse: (words) => {
    const options = {
      email: { type: 'string' },
      mobile: { type: 'string' },
      ...jsonOption,
    } as const;
    const { values, positionals } = readWords(words, options, ['an account id']);
    const [accountId = ''] = positionals;
    const consumer = readConsumer(values);
    return {
      json: values.json,
      run: async (services) => {
        const account = await services.accounts.find(accountId);
        if (!account) throw new UsageError(`There is no account ${accountId}.`);
        const erased = await eraseConsumer(services, account, consumer, 'cli');
        return {
          account_id: accountId,
          orders: erased.orders,
          mentioned_orders: erased.mentionedOrders,
          transactions: erased.transactions,
          deliveries: erased.deliveries,
          history_rows: erased.historyRows,
          notes: erased.notes,
        };
      },
    };
  },
};

function readConsumer({ email, mobile }: { email?: string; mobile?: string }) {
  if (email === undefined && mobile === undefined) {
    throw new UsageError('Name the consumer with --email or --mobile, or with both.');
  }
  const address = email === undefined ? undefined : findEmail(email);
  const phones = mobile === undefined ? [] : findPhones(mobile);
  // The messages do not repeat the value: even a mistyped address is personal data and must not reach a log.
  if (email !== undefined && address === undefined) {
    throw new UsageError('--email must be an e-mail address.');
  }
  if (!phones) throw new UsageError('--mobile must be a phone number such as +919876543210.');
  return { email: address, phones };
}
