/** Lists the banks or wallets of a payment mode, or none if the account does not offer the mode. Contract 11.11. */
import type { Account } from '../../domain/accounts/account.ts';
import type { ChoiceMode } from '../../domain/payment-mode.ts';
import type { Choice } from '../../providers/provider.ts';
import { getProvider } from '../../providers/providers.ts';
import type { Caller } from '../../security/tokens.ts';
import type { AccountDirectory } from '../../services/account-directory.ts';
import type { NeedsOf } from '../../services/needs.ts';
import { findRoute } from '../../services/provider-apis.ts';
import { getVisibleOrder } from './list-payment-modes.ts';

type Needs = NeedsOf<typeof findRoute> &
  NeedsOf<typeof getVisibleOrder> & {
    readonly accounts: AccountDirectory;
  };

export async function listChoices(
  services: Needs,
  caller: Caller,
  { orderId, modeCode }: { readonly orderId: string; readonly modeCode: ChoiceMode },
): Promise<readonly Choice[]> {
  await getVisibleOrder(services, caller, orderId);
  return choicesOf(services, await services.accounts.get(caller.accountId), modeCode);
}

export function choicesOf(
  services: NeedsOf<typeof findRoute>,
  account: Account,
  modeCode: ChoiceMode,
): readonly Choice[] {
  const route = findRoute(services, account, modeCode);
  return (route && getProvider(route.provider).choices?.[modeCode]) ?? [];
}
