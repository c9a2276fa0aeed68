/** Decides who sends a delivery, and for which account. Contract 6.2. */
import { type Account, liveSecrets } from '../../domain/accounts/account.ts';
import { ServiceError } from '../../domain/errors.ts';
import { isAccountId } from '../../domain/ids.ts';
import type { DeliveryCaller } from '../../domain/inbox/incoming.ts';
import type { Provider, RawDelivery, Verification } from '../../providers/provider.ts';
import type { Services } from '../../services/services.ts';
import { refuseSuspended, verifyCaller } from '../accounts/authenticate-caller.ts';

export type DeliveryClaims = {
  /** From the path. */
  readonly accountId: string | undefined;
  /** The bearer token, if one was sent. */
  readonly token: string | undefined;
};

/** Decided from the headers alone, so that the body of a call without credentials is not read. Contract 6.10. */
export function findMissingCredentials(
  { warnings }: Pick<Services, 'warnings'>,
  { name: provider, proofHeader }: Pick<Provider, 'name' | 'proofHeader'>,
  headers: Readonly<Record<string, unknown>>,
  { accountId: claimedAccountId, token }: DeliveryClaims,
): ServiceError | undefined {
  if (headers[proofHeader] !== undefined || token !== undefined) return undefined;
  warnings.refusedWebhook({ provider, claimedAccountId, reason: 'no credentials' });
  return refusal('absent');
}

/** If the provider's proof is there it must be right; the bearer token counts only without one. */
export async function authenticateDelivery(
  services: Pick<Services, 'accounts' | 'tokens' | 'warnings' | 'clock'>,
  provider: Provider,
  raw: RawDelivery,
  claims: DeliveryClaims,
): Promise<{ readonly account: Account; readonly caller: DeliveryCaller }> {
  const { token } = claims;
  const bearerAccountId =
    token === undefined ? undefined : await findBearerAccountId(services, token);
  const claimedAccountId = claims.accountId ?? bearerAccountId;
  const warn = (reason: string) =>
    services.warnings.refusedWebhook({ provider: provider.name, claimedAccountId, reason });
  // Without any proof the account is not even loaded.
  if (provider.verify(raw, []) === 'absent' && bearerAccountId === undefined) {
    warn('the bearer is no valid merchant token');
    throw refusal('absent');
  }
  const accountId = claimedAccountId ?? '';
  const account = isAccountId(accountId)
    ? (services.accounts.recall(accountId) ?? (await services.accounts.find(accountId)))
    : undefined;
  const proof = prove(services, provider, raw, account);
  if (account && proof === 'absent' && bearerAccountId === account.accountId) {
    refuseSuspended(account);
    return { account, caller: 'bearer' };
  }
  // Deliveries for a suspended account are stored and applied, because the money has moved. Contract 2.8.
  if (account && proof === 'verified') return { account, caller: 'provider' };
  if (account && proof === 'refused') {
    // The cached account may not have the newest secret yet.
    const newest = await services.accounts.readAgain(accountId);
    if (newest && prove(services, provider, raw, newest) === 'verified') {
      return { account: newest, caller: 'provider' };
    }
  }
  warn(
    proof === 'absent' ? 'the bearer is of another account' : 'the signature or secret is wrong',
  );
  throw refusal(proof);
}

function prove(
  { clock }: Pick<Services, 'clock'>,
  provider: Provider,
  raw: RawDelivery,
  account: Account | undefined,
): Verification {
  const { webhookSecret } = provider.settings;
  return provider.verify(raw, account ? liveSecrets(account, webhookSecret, clock()) : []);
}

function refusal(proof: Verification): ServiceError {
  return new ServiceError(
    'AUTHENTICATION_FAILED',
    proof === 'absent'
      ? 'Sign the delivery with the webhook secret of the account, or send its merchant token as bearer.'
      : 'The delivery is not signed with a live webhook secret of this account: check the secret set at the provider.',
  );
}

/** An invalid token, or one that is no merchant token, counts as no token. */
async function findBearerAccountId(
  services: Pick<Services, 'accounts' | 'tokens' | 'clock'>,
  token: string,
): Promise<string | undefined> {
  try {
    const { caller } = await verifyCaller(services, token);
    return caller.type === 'merchant' ? caller.accountId : undefined;
  } catch (error) {
    if (error instanceof ServiceError && error.entry.status === 401) return undefined;
    throw error;
  }
}
