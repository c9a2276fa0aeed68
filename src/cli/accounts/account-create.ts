/** `account create`: creates an account and prints its secrets, which are never shown again. */
import { commandLine } from '../../domain/audit.ts';
import type { Config } from '../../process/config.ts';
import { providers } from '../../providers/providers.ts';
import { createAccount, simulatorWarning } from '../../use-cases/accounts/create-account.ts';
import { cliCall, defineCommand } from '../framework/command.ts';
import { adviseOnPublicUrl } from '../framework/public-url.ts';
import { printedName } from '../framework/screen.ts';
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
  read: ({ values }) => {
    const flags = accountFlags(values);
    const settings = readSettings(flags);
    const apiSecrets = readApiSecrets(flags.providers);
    return {
      simulator: flags.simulator,
      needsKeys: settings.providerApis === undefined,
      requested: { ...settings, name: values.name, apiSecrets, logo: readLogo(flags) },
    };
  },
  run: async (services, { simulator, requested: { logo, ...requested } }, { config, warn }) => {
    const isSimulated = usesSimulator(simulator, config);
    const { accountId, name, accessKey, accessSecret, webhooks } = await createAccount(
      services,
      { ...requested, isSimulated, ...(logo && { logo }) },
      commandLine,
    );
    if (isSimulated) warn(simulatorWarning(services));
    const secrets = webhooks.map(({ secretKind, secret }) => [printedName(secretKind), secret]);
    const urls = webhooks.map(({ provider, url }) => [printedName(`${provider}-webhook-url`), url]);
    const ofProviders: Record<string, string> = Object.fromEntries([...secrets, ...urls]);
    return { accountId, name, accessKey, accessSecret, ...ofProviders };
  },
  advise: ({ accountId }, config, { simulator, needsKeys }) => {
    if (usesSimulator(simulator, config)) return [];
    const update = `${cliCall} account update ${accountId}`;
    const adviceOnKeys = [
      'The account cannot start payments before it has the keys of a provider. Set them with the secret in a file:',
      ...providers.map((provider) => `  ${update} ${exampleOfKeys(provider)} < secret.txt`),
    ];
    return [...adviseOnPublicUrl(config), ...(needsKeys ? adviceOnKeys : [])];
  },
});

/** In the embedded mode SIMULATOR_URL makes the simulator the default of new accounts. Contract 11.6. */
function usesSimulator(chosen: boolean | undefined, config: Config): boolean {
  return chosen ?? (config.databaseUrl === undefined && config.simulatorUrl !== undefined);
}
