/** `consumer erase`: permanently replaces the personal data of a consumer with a marker. Contract 8.7. */
import { commandLine } from '../../domain/audit.ts';
import { findEmail, findPhones } from '../../domain/consumers/erased-consumer.ts';
import { eraseConsumer } from '../../use-cases/consumers/erase-consumer.ts';
import { defineCommand, RefusedError, UsageError } from '../framework/command.ts';
import { accountArgument } from '../framework/common-options.ts';

export const consumerErase = defineCommand({
  name: ['consumer', 'erase'],
  summary: 'Erase the personal data of a consumer.',
  description:
    'Replaces the personal data of a consumer with a marker in orders, transactions, stored deliveries, history, events and notes. Amounts and states stay. This cannot be undone. Give --email, --mobile, or both.',
  arguments: [accountArgument],
  options: {
    email: { value: 'ADDRESS', text: 'The e-mail address of the consumer.' },
    mobile: { value: 'NUMBER', text: 'The phone number, with or without its country code.' },
  },
  examples: [
    'consumer erase acc_… --email asha@example.com',
    'consumer erase acc_… --mobile "+91 98765 43210"',
  ],
  read: ({ values, positionals: [accountId = ''] }) => ({
    accountId,
    consumer: readConsumer(values),
  }),
  run: async (services, { accountId, consumer }) => {
    const account = await services.accounts.find(accountId);
    if (!account) throw new RefusedError(`There is no account ${accountId}.`);
    return { accountId, ...(await eraseConsumer(services, account, consumer, commandLine)) };
  },
});

type Named = { readonly email: string | undefined; readonly mobile: string | undefined };

function readConsumer({ email, mobile }: Named) {
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
