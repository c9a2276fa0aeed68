/** What a consumer chooses within a payment mode: a bank, a wallet or a UPI id. */
import type { PaymentModeCode } from './payment-mode.ts';

type PaymentChoice = {
  readonly field: 'bank_code' | 'wallet_code' | 'upi_id';
  /** The name under which enquiries show it. */
  readonly shownAs: string;
  readonly isRequired: boolean;
  readonly pattern: RegExp;
  readonly example: string;
};

/** Without a UPI id the consumer chooses at the provider's page, or with a UPI app. */
export const paymentChoices: Readonly<Partial<Record<PaymentModeCode, PaymentChoice>>> = {
  net_banking: {
    field: 'bank_code',
    shownAs: 'bank_name',
    isRequired: true,
    pattern: /^[\w-]{2,32}$/,
    example: 'HDFC',
  },
  wallet: {
    field: 'wallet_code',
    shownAs: 'wallet_name',
    isRequired: true,
    pattern: /^[\w-]{2,32}$/,
    example: 'paytm',
  },
  upi: {
    field: 'upi_id',
    shownAs: 'upi_id',
    isRequired: false,
    pattern: /^[\w.%+-]{1,128}@[A-Za-z0-9][A-Za-z0-9.-]{1,63}$/,
    example: 'asha@okbank',
  },
};
