/** Types of the part for the browser of a consumer. */
import type { ReturnedPayment } from './client.cjs';

/**
 * How the checkout ended. `status` is `failed` also if the consumer left before any payment; the transaction is null
 * then. It comes through the consumer's browser: ask for the order on your server before you deliver.
 */
export type CheckoutResult = Omit<ReturnedPayment, 'svc_transaction_id' | 'transaction'> & {
  svc_transaction_id: string | null;
  transaction: ReturnedPayment['transaction'] | null;
};

export type CheckoutOptions = {
  /** The URL of the service, such as `https://pay.example.com`. */
  baseUrl: string;
  /** The order token of `createOrder`. */
  token: string;
  /** Called once. The result is null if the checkout was closed before it was shown. */
  onResult: (result: CheckoutResult | null) => void;
  /** Preselects a payment mode, such as `upi`. */
  paymentModeCode?: string;
  /** Preselects a bank of `net_banking`. */
  bankCode?: string;
  /** What a screen reader calls the dialog; `Checkout` unless given. */
  label?: string;
  /** What a screen reader calls the button that closes it; `Close` unless given. */
  closeLabel?: string;
};

/** Opens the checkout of an order over the page. The origin of the page must be one of the account's frame origins. */
export function openCheckout(options: CheckoutOptions): {
  /** Closes it as the consumer would. `onResult` is called soon after. */
  close: () => void;
};
