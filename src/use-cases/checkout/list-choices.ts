/** Lists the banks or wallets of a payment mode, or none if the account does not offer the mode. Contract 11.11. */
import type { Account } from '../../domain/accounts/account.ts';
import type { ChoiceMode } from '../../domain/payment-mode.ts';
import type { Choice } from '../../providers/provider.ts';
import { getProvider } from '../../providers/providers.ts';
import type { Caller } from '../../security/tokens.ts';
import { findRoute } from '../../services/provider-apis.ts';
import type { Services } from '../../services/services.ts';
import { getVisibleOrder } from './list-payment-modes.ts';

export async function listChoices(
  services: Pick<Services, 'database' | 'accounts' | 'callProvider' | 'clock'>,
  caller: Caller,
  { orderId, modeCode }: { readonly orderId: string; readonly modeCode: ChoiceMode },
): Promise<readonly Choice[]> {
  await getVisibleOrder(services, caller, orderId);
  return choicesOf(services, await services.accounts.get(caller.accountId), modeCode);
}

export function choicesOf(
  services: Pick<Services, 'callProvider' | 'clock'>,
  account: Account,
  modeCode: ChoiceMode,
): readonly Choice[] {
  const route = findRoute(services, account, modeCode);
  return (route && getProvider(route.provider).choices?.[modeCode]) ?? [];
}
