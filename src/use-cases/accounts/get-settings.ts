/** The settings of an account for its own people, without secrets. Contract 13.8. */
import type { SecretKind } from '../../domain/accounts/account.ts';
import { shadesOf } from '../../domain/accounts/colour.ts';
import { accessKeyOf } from '../../domain/ids.ts';
import { listRotatableSecretKinds, readProviderValues } from '../../providers/account-settings.ts';
import type { Provider } from '../../providers/provider.ts';
import { providers } from '../../providers/providers.ts';
import type { SettingOption } from '../../providers/settings.ts';
import { webhookUrlOf } from '../../services/provider-apis.ts';
import type { Services } from '../../services/services.ts';
import { listSecretTimes, type SecretTimes } from '../../store/accounts/account-secrets.ts';
import { findAccount, type StoredAccount } from '../../store/accounts/accounts.ts';
import { unknownAccount } from './rotate-secret.ts';

export type Settings = Awaited<ReturnType<typeof getSettings>>;

export async function getSettings(
  services: Pick<Services, 'database' | 'clock' | 'settings'>,
  accountId: string,
) {
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
      // To be entered at the provider, together with the secret of that kind.
      webhookUrl: webhookUrlOf(services, provider.name, accountId),
      webhookSecret: provider.settings.webhookSecret,
      options: listOptions(account, provider, times),
    })),
  };
}

/** `former` are those that were rotated and are still valid. */
function listSecret(times: readonly SecretTimes[], kind: SecretKind, now: Date) {
  const former = times.flatMap(({ kind: other, createdAt, expiresAt }) =>
    other === kind && expiresAt !== null && expiresAt > now
      ? [{ createdAt, validUntil: expiresAt }]
      : [],
  );
  return { kind, createdAt: findSetAt(times, kind), former };
}

/** Null if the account has none. */
function findSetAt(times: readonly SecretTimes[], kind: SecretKind): Date | null {
  const current = times.find((entry) => entry.kind === kind && entry.expiresAt === null);
  return current?.createdAt ?? null;
}

/**
 * What an account can set for a provider, each option once: a login may also be a plain setting. A secret has no value
 * here, only the time since when it is set.
 */
function listOptions(
  account: StoredAccount,
  { name, settings }: Provider,
  times: readonly SecretTimes[],
) {
  const { login, apiSecret, apiUrl, plain } = settings;
  const address = account.providerApis[name];
  const values = readProviderValues(account, name);
  const shared = plain.find(({ option }) => option === login.option);
  const loginValue = address?.login ?? (shared && values[shared.name]) ?? null;
  const text = (
    { option, placeholder, description }: SettingOption,
    kind: 'plain' | 'login' | 'url' | 'secret',
    value: string | null,
    setAt: Date | null = null,
  ) => ({ option, placeholder, description, kind, value, setAt });
  return [
    text(login, 'login', loginValue),
    text(apiSecret, 'secret', null, findSetAt(times, apiSecret.option)),
    text(apiUrl, 'url', address?.url ?? null),
    ...plain
      .filter((setting) => setting !== shared)
      .map((setting) => text(setting, 'plain', values[setting.name] ?? null)),
  ];
}
