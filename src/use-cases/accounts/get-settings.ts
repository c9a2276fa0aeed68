/** The settings of an account for its own people, without secrets. Contract 13.8. */
import type { AccountSettings, SecretKind } from '../../domain/accounts/account.ts';
import { type Shades, shadesOf } from '../../domain/accounts/colour.ts';
import type { Logo } from '../../domain/accounts/logo.ts';
import { accessKeyOf } from '../../domain/ids.ts';
import type { ProviderName } from '../../domain/provider-name.ts';
import { listRotatableSecretKinds, readProviderValues } from '../../providers/account-settings.ts';
import type { Provider } from '../../providers/provider.ts';
import { providers } from '../../providers/providers.ts';
import type { SettingOption } from '../../providers/settings.ts';
import { webhookUrlOf } from '../../services/provider-apis.ts';
import type { Services } from '../../services/services.ts';
import { listSecretTimes, type SecretTimes } from '../../store/accounts/account-secrets.ts';
import { findAccount, type StoredAccount } from '../../store/accounts/accounts.ts';
import { unknownAccount } from './rotate-secret.ts';

/** A secret that the service generates and an owner can see. */
type ListedSecret = {
  readonly kind: SecretKind;
  /** Null if the account has none. */
  readonly createdAt: Date | null;
  /** Those that were rotated and are still valid. */
  readonly former: readonly { readonly createdAt: Date; readonly validUntil: Date }[];
};

/** What an account can set for a provider. A secret has no value here, only the time since when it is set. */
type ListedOption = SettingOption & {
  readonly kind: 'plain' | 'login' | 'url' | 'secret';
  readonly value: string | null;
  readonly setAt: Date | null;
};

export type ListedProvider = {
  readonly name: ProviderName;
  readonly displayName: string;
  /** To be entered at the provider, together with the secret of that kind. */
  readonly webhookUrl: string;
  readonly webhookSecret: SecretKind;
  readonly options: readonly ListedOption[];
};

export type Settings = AccountSettings & {
  readonly accountId: string;
  readonly accessKey: string;
  readonly createdAt: Date;
  readonly formerRates: StoredAccount['formerRates'];
  readonly logo: Logo | null;
  readonly shades: { readonly light: Shades; readonly dark: Shades };
  readonly secrets: readonly ListedSecret[];
  readonly providers: readonly ListedProvider[];
};

export async function getSettings(
  services: Pick<Services, 'database' | 'clock' | 'settings'>,
  accountId: string,
): Promise<Settings> {
  const { database, clock } = services;
  const account = await findAccount(database, accountId);
  if (!account) throw unknownAccount(accountId);
  const times = await listSecretTimes(database, accountId);
  const now = clock();
  return {
    ...account,
    accessKey: accessKeyOf(accountId),
    shades: shadesOf(account.colour),
    secrets: listRotatableSecretKinds().map((kind) => listSecret(times, kind, now)),
    providers: providers.map((provider) => ({
      name: provider.name,
      displayName: provider.displayName,
      webhookUrl: webhookUrlOf(services, provider.name, accountId),
      webhookSecret: provider.settings.webhookSecret,
      options: listOptions(account, provider, times),
    })),
  };
}

function listSecret(times: readonly SecretTimes[], kind: SecretKind, now: Date): ListedSecret {
  const former = times.flatMap(({ kind: other, createdAt, expiresAt }) =>
    other === kind && expiresAt !== null && expiresAt > now
      ? [{ createdAt, validUntil: expiresAt }]
      : [],
  );
  return { kind, createdAt: findSetAt(times, kind), former };
}

function findSetAt(times: readonly SecretTimes[], kind: SecretKind): Date | null {
  const current = times.find((entry) => entry.kind === kind && entry.expiresAt === null);
  return current?.createdAt ?? null;
}

/** Each option once: a login may also be a plain setting. */
function listOptions(
  account: StoredAccount,
  { name, settings }: Provider,
  times: readonly SecretTimes[],
): ListedOption[] {
  const { login, apiSecret, apiUrl, plain } = settings;
  const address = account.providerApis[name];
  const values = readProviderValues(account, name);
  const shared = plain.find(({ option }) => option === login.option);
  const loginValue = address?.login ?? (shared && values[shared.name]) ?? null;
  const text = (
    { option, placeholder, description }: SettingOption,
    kind: ListedOption['kind'],
    value: string | null,
  ): ListedOption => ({ option, placeholder, description, kind, value, setAt: null });
  return [
    text(login, 'login', loginValue),
    { ...text(apiSecret, 'secret', null), setAt: findSetAt(times, apiSecret.option) },
    text(apiUrl, 'url', address?.url ?? null),
    ...plain
      .filter((setting) => setting !== shared)
      .map((setting) => text(setting, 'plain', values[setting.name] ?? null)),
  ];
}
