/**
 * What an account sets for a provider, described by the provider itself. The options of the command line, the checks
 * and the stored settings follow from this description.
 */
import type { ProviderValues, SecretKind } from '../domain/accounts/account.ts';
import type { PaymentModeCode } from '../domain/payment-mode.ts';

/** An option of `account create` and `account update`, such as `--acme-key ID`. */
export type SettingOption = {
  /** Without the leading dashes. */
  readonly option: string;
  /** Stands for the value in the help. */
  readonly placeholder: string;
  readonly description: string;
};

/** A value that is not secret; `account list` prints it under the name of its option. */
type PlainSetting = SettingOption & {
  readonly name: string;
  /** The value of accounts that have not set one. */
  readonly defaultValue?: string;
  /** The value of the demo account, whose provider is the simulator. */
  readonly demoValue?: string;
  /** Why a value cannot work, as the end of a sentence such as `must have 1 to 12 digits`. */
  readonly findFault?: (value: string) => string | undefined;
};

export type ProviderSettings = {
  /** Proves deliveries. The service generates it, shows it once, and rotates it with an overlap. */
  readonly webhookSecret: SecretKind;
  /** The account's name at the API. It may share its option with a plain setting. */
  readonly login: SettingOption;
  /** The API secret that the provider issued. Its option is also the kind under which it is stored. */
  readonly apiSecret: SettingOption;
  /** The default applies to a login that is set without a URL. */
  readonly apiUrl: SettingOption & { readonly defaultValue?: string };
  readonly plain: readonly PlainSetting[];
  /** The plain setting whose value deliveries are expected to name as their merchant. */
  readonly merchantSetting?: string;
  /** The payment modes that new accounts route to this provider. */
  readonly defaultModes: readonly PaymentModeCode[];
  /** The login at the simulator, made from the account's id; absent where the simulator does not play the provider. */
  readonly simulatedLogin?: (accountName: string) => string;
};

/** The plain setting that also is the login, where there is one. */
export function findStoredLogin(
  { login, plain }: ProviderSettings,
  values: ProviderValues | undefined,
): string | undefined {
  const shared = plain.find(({ option }) => option === login.option);
  return shared && values?.[shared.name];
}

export function listOptions({ login, apiSecret, apiUrl, plain }: ProviderSettings): string[] {
  const options = [...plain, login, apiSecret, apiUrl].map(({ option }) => option);
  return [...new Set(options)];
}

export function listSecretKinds({ webhookSecret, apiSecret }: ProviderSettings): SecretKind[] {
  return [webhookSecret, apiSecret.option];
}
