/**
 * Which provider takes a payment of an order. An order with a bank account must be paid from that account, so it can be
 * paid only in the modes whose provider checks that. Contract 3.14.
 */
import type { Account } from '../domain/accounts/account.ts';
import { ServiceError } from '../domain/errors.ts';
import type { Order } from '../domain/orders/order.ts';
import { type PaymentModeCode, paymentModeCodes } from '../domain/payment-mode.ts';
import type { Provider } from '../providers/provider.ts';
import { getProvider, providers } from '../providers/providers.ts';
import { isErasedAccount } from './bank-account.ts';
import { findRoute } from './provider-apis.ts';
import type { Services } from './services.ts';

type Callers = Pick<Services, 'callProvider' | 'clock'>;
type Payable = Pick<Order, 'amounts' | 'details'>;

/** Undefined if the account does not offer the mode, or the order may not be paid in it. */
export function findOrderRoute(
  services: Callers,
  account: Account,
  order: Payable,
  code: PaymentModeCode,
) {
  const route = findRoute(services, account, code);
  return route && takes(getProvider(route.provider), order, code) ? route : undefined;
}

/** Refuses a mode that `findOrderRoute` does not find, with the reason. */
export function getOrderRoute(
  services: Callers,
  account: Account,
  order: Payable,
  code: PaymentModeCode,
) {
  const found = findOrderRoute(services, account, order, code);
  if (found) return found;
  // A mode that nobody could check is not allowed, whether or not the account offers it.
  const isAllowed = providers.some((provider) => takes(provider, order, code));
  if (isAllowed && !findRoute(services, account, code)) {
    throw new ServiceError('PAYMENT_MODE_NOT_ENABLED');
  }
  throw new ServiceError('PAYMENT_MODE_NOT_ALLOWED', whyNotAllowed(order, code));
}

/** Why nobody could pay the order: the account offers no mode that checks its bank account. Undefined if it can be paid. */
export function findUnpayable(
  services: Callers,
  account: Account,
  order: Payable,
): string | undefined {
  if (order.details.bankAccount === undefined) return undefined;
  if (paymentModeCodes.some((code) => findOrderRoute(services, account, order, code)))
    return undefined;
  return `The order has a bank_account that it must be paid from, and the account offers no payment mode that checks it: that is done for ${describeChecks()}. Enable one of them, or send the order without bank_account.`;
}

function takes({ accountCheck }: Provider, { amounts, details }: Payable, code: PaymentModeCode) {
  const { bankAccount } = details;
  if (bankAccount === undefined) return true;
  if (!accountCheck || isErasedAccount(bankAccount)) return false;
  return accountCheck.currency === amounts.currency && accountCheck.modeCodes.includes(code);
}

function whyNotAllowed({ details }: Payable, code: PaymentModeCode): string {
  return isErasedAccount(details.bankAccount)
    ? 'The order must be paid from its bank_account, which was erased with the data of the consumer: create another order.'
    : `The order must be paid from its bank_account, and for ${code} the account has no provider that checks it: that is done for ${describeChecks()}. Use a mode that payment-modes lists.`;
}

function describeChecks(): string {
  const checks = providers.flatMap(({ displayName, accountCheck }) =>
    accountCheck
      ? [`${accountCheck.modeCodes.join(', ')} at ${displayName} in ${accountCheck.currency}`]
      : [],
  );
  return checks.join('; ');
}
