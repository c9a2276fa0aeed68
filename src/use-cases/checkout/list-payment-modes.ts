/**
 * Lists the payment modes of an order, with the banks and wallets of each. Modes that the consumer has paid with before
 * are listed apart. Contract 11.1.
 */
import type { Account } from '../../domain/accounts/account.ts';
import type { Order } from '../../domain/orders/order.ts';
import {
  type ChoiceMode,
  findPaymentModeCode,
  paymentModeCodes,
} from '../../domain/payment-mode.ts';
import type { Choice } from '../../providers/provider.ts';
import { getProvider } from '../../providers/providers.ts';
import type { Caller } from '../../security/tokens.ts';
import { findOrderRoute } from '../../services/order-routes.ts';
import { findRoute } from '../../services/provider-apis.ts';
import type { Services } from '../../services/services.ts';
import { findOrder } from '../../store/orders/orders.ts';
import { listModesPaidWith } from '../../store/payments/transaction-lists.ts';
import { getVisible } from '../orders/order-access.ts';

export async function listPaymentModes(
  services: Pick<Services, 'database' | 'accounts' | 'callProvider' | 'clock'>,
  caller: Caller,
  orderId: string,
) {
  const order = await getVisibleOrder(services, caller, orderId);
  const account = await services.accounts.get(caller.accountId);
  return { order, ...(await modesOf(services, account, order)) };
}

export async function modesOf(
  services: Pick<Services, 'database' | 'callProvider' | 'clock'>,
  account: Account,
  order: Order,
) {
  const { userId } = order;
  const enabled = paymentModeCodes.filter((code) => findOrderRoute(services, account, order, code));
  const used = userId ? await listModesPaidWith(services.database, account.accountId, userId) : [];
  const usedCodes = used.map(findPaymentModeCode);
  const fast = enabled.filter((code) => usedCodes.includes(code));
  return { fast, other: enabled.filter((code) => !fast.includes(code)) };
}

export function getVisibleOrder(
  { database }: Pick<Services, 'database'>,
  caller: Caller,
  orderId: string,
) {
  return getVisible(caller, orderId, () => findOrder(database, caller.accountId, orderId));
}

/**
 * Lists the banks or wallets of a payment mode, or none if the order cannot be paid in it. A merchant may ask without an
 * order, for the modes that the account offers. Contract 11.11 and 19.1.
 */
export async function listChoices(
  services: Pick<Services, 'database' | 'accounts' | 'callProvider' | 'clock'>,
  caller: Caller,
  { orderId, modeCode }: { readonly orderId: string | undefined; readonly modeCode: ChoiceMode },
) {
  const order =
    orderId === undefined ? undefined : await getVisibleOrder(services, caller, orderId);
  return choicesOf(services, await services.accounts.get(caller.accountId), order, modeCode);
}

export function choicesOf(
  services: Pick<Services, 'callProvider' | 'clock'>,
  account: Account,
  order: Order | undefined,
  modeCode: ChoiceMode,
): readonly Choice[] {
  const route = order
    ? findOrderRoute(services, account, order, modeCode)
    : findRoute(services, account, modeCode);
  return (route && getProvider(route.provider).choices?.[modeCode]) ?? [];
}
