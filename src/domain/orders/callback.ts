/** The callback URL to which a consumer returns after paying, and who may set it. Contract 2.9 and 11.10. */
import type { AccountSettings } from '../accounts/account.ts';
import { refuseField, ServiceError } from '../errors.ts';
import { isSecureWebAddress, isWebAddress } from '../web-address.ts';
import type { OrderDetails } from './order.ts';

type CallbackFields = Pick<OrderDetails, 'callbackUrl' | 'callbackMode'>;

type Callback = { readonly url: string; readonly mode: 'redirect' | 'post' };

/** Refuses a URL that is not secure, or that the caller may not set. Absent fields stay unchanged. */
export function checkCallback(
  before: CallbackFields,
  sent: CallbackFields,
  account: Pick<AccountSettings, 'callbackOrigins'>,
  by: 'merchant' | 'order',
): void {
  const after = {
    callbackUrl: sent.callbackUrl ?? before.callbackUrl,
    callbackMode: sent.callbackMode ?? before.callbackMode,
  };
  const isOtherUrl = after.callbackUrl !== before.callbackUrl;
  if (!isOtherUrl && after.callbackMode === before.callbackMode) return;
  if (isOtherUrl && !isSecureWebAddress(after.callbackUrl ?? '')) {
    refuseField('callback_url', 'must be an https URL without credentials, or http on loopback');
  }
  if (by === 'merchant') return;
  const { callbackOrigins } = account;
  // A mode without a URL has no effect.
  if (after.callbackUrl === undefined) return;
  if (callbackOrigins.length > 0 ? isListed(callbackOrigins, after) : !before.callbackUrl) return;
  throw new ServiceError(
    'PERMISSION_DENIED',
    callbackOrigins.length > 0
      ? 'An order token may set callback_url and callback_mode only where the origin of callback_url is one of the callback origins of the account: add it, or use a merchant token from generate-token.'
      : 'An order token may not change callback_url or callback_mode of an order that has a callback_url: use a merchant token from generate-token, or give the account callback origins.',
  );
}

function isListed(origins: readonly string[], { callbackUrl }: CallbackFields): boolean {
  const isWeb = callbackUrl !== undefined && isWebAddress(callbackUrl);
  return isWeb && origins.includes(new URL(callbackUrl).origin);
}

/**
 * The payment's own fields take precedence over the order's. A URL is checked when it is stored, and again before a
 * consumer is sent there: one that is no web address is ignored. An unknown mode is treated as a redirect, which every shop can handle.
 */
export function callbackOf(order: CallbackFields, payment: CallbackFields): Callback | undefined {
  const url = payment.callbackUrl ?? order.callbackUrl;
  const mode = payment.callbackMode ?? order.callbackMode;
  if (url === undefined || !isWebAddress(url)) return undefined;
  return { url, mode: mode === 'callback_url_post' ? 'post' : 'redirect' };
}
