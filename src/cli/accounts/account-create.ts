/** `account create`: creates an account and prints its secrets, which are never shown again. */

import { commandLine } from '../../domain/audit.ts';
import type { Config } from '../../process/config.ts';
import { providers } from '../../providers/providers.ts';
import { createAccount, simulatorWarning } from '../../use-cases/accounts/create-account.ts';
import { cliCall, defineCommand, type Outcome } from '../framework/command.ts';
import { adviseOnPublicUrl } from '../framework/public-url.ts';
import { printedName } from '../framework/render.ts';
import { accountFlags, createOptions, readSettings } from './account-options.ts';
import { readLogo } from './branding-options.ts';
import { exampleOfKeys, readApiSecrets } from './provider-options.ts';

export const accountCreate = defineCommand({
  name: ['account', 'create'],
  summary: 'Create an account and print its secrets.',
  description:
    'Creates an account and prints its credentials, and a webhook URL with its secret for each provider. The secrets are shown this once.',
  options: createOptions,
  examples: [
    'account create --name "Tea shop"',
    'account create --name "Trial shop" --simulator',
    'account create --name "Tea shop" --optional-order-details --json',
  ],
  prepare: ({ values }) => {
    const flags = accountFlags(values);
    const { name } = values;
    const settings = readSettings(flags);
    const apiSecrets = readApiSecrets(flags.providers);
    const logo = readLogo(flags);
    const needsKeys = settings.providerApis === undefined;
    return {
      run: async (services, config, warn) => {
        const isSimulated = usesSimulator(flags.simulator, config);
        const requested = { ...settings, name, apiSecrets, isSimulated, ...(logo && { logo }) };
        const account = await createAccount(services, requested, commandLine);
        if (isSimulated) warn(simulatorWarning(services));
        return {
          account_id: account.accountId,
          name: account.name,
          access_key: account.accessKey,
          access_secret: account.accessSecret,
          ...Object.fromEntries(
            account.webhooks.map(({ secretKind, secret }) => [printedName(secretKind), secret]),
          ),
          ...Object.fromEntries(
            account.webhooks.map(({ provider, url }) => [
              printedName(`${provider}-webhook-url`),
              url,
            ]),
          ),
        };
      },
      advise: (outcome, config) =>
        usesSimulator(flags.simulator, config)
          ? []
          : [...adviseOnPublicUrl(config), ...(needsKeys ? adviseOnKeys(outcome) : [])],
    };
  },
});

/** In the embedded mode SIMULATOR_URL makes the simulator the default of new accounts. Contract 11.6. */
function usesSimulator(chosen: boolean | undefined, config: Config): boolean {
  return chosen ?? (config.databaseUrl === undefined && config.simulatorUrl !== undefined);
}

function adviseOnKeys({ account_id }: Outcome): string[] {
  const update = `${cliCall} account update ${account_id}`;
  return [
    'The account cannot start payments before it has the keys of a provider. Set them with the secret in a file:',
    ...providers.map((provider) => `  ${update} ${exampleOfKeys(provider)} < secret.txt`),
  ];
}
