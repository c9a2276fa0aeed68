/** `account create`: opens an account and prints its secrets this once. */
import { createAccount, simulatorWarning } from '../use-cases/accounts/create-account.ts';
import { accountOptions, accountOptionsUsage, readSettings } from './account-options.ts';
import { type Command, readWords, UsageError } from './command.ts';
import { readApiSecrets } from './provider-options.ts';

export const accountCreate: Command = {
  name: ['account', 'create'],
  usage: `account create --name NAME ${accountOptionsUsage}`,
  parse: (words) => {
    const { values } = readWords(words, accountOptions);
    const { name } = values;
    if (name === undefined) throw new UsageError('Give the account a name with --name.');
    const settings = readSettings(values);
    const apiSecrets = readApiSecrets(values);
    return {
      json: values.json,
      run: async (services, config) => {
        // Whoever sets the address of a simulator means accounts to use it. Contract 11.6.
        const isChosen = config.databaseUrl === undefined && config.simulatorUrl !== undefined;
        const isSimulated = values.simulator ?? isChosen;
        const wished = { ...settings, name, apiSecrets, isSimulated };
        const account = await createAccount(services, wished);
        if (isSimulated) console.error(simulatorWarning(services));
        return {
          account_id: account.accountId,
          name: account.name,
          access_key: account.accessKey,
          access_secret: account.accessSecret,
          partner_webhook_secret: account.partnerWebhookSecret,
          bank_gateway_secret: account.bankGatewaySecret,
          partner_webhook_url: account.partnerWebhookUrl,
          bank_gateway_webhook_url: account.bankGatewayWebhookUrl,
        };
      },
    };
  },
};
