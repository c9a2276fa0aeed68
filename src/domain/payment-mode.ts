/** The payment modes that a merchant can offer. Contract 4.1. */

/** Display names by code, in the order in which they are listed. */
export const paymentModes = {
  upi: 'UPI',
  credit_card: 'Credit Card',
  debit_card: 'Debit Card',
  net_banking: 'Netbanking',
  wallet: 'Wallet',
  prepaid_card: 'Prepaid Card',
} as const;

/** Every payment mode that an enquiry can show: `Card` when the funding is unknown, EMI for instalments. */
export const shownPaymentModes: readonly string[] = [
  ...Object.values(paymentModes),
  'Credit Card EMI',
  'Debit Card EMI',
  'Card',
  'Pay Later',
];

export type PaymentModeCode = keyof typeof paymentModes;

export type ChoiceMode = 'net_banking' | 'wallet';

export const paymentModeCodes = Object.keys(paymentModes) as readonly PaymentModeCode[];

/**
 * The mode that a client names: by its code or its display name, in any case. Shops that do not know the type of card
 * send `card`. Contract 11.4.
 */
export function readPaymentModeCode(sent: string): PaymentModeCode | undefined {
  const name = sent.toLowerCase();
  if (name === 'card') return 'credit_card';
  return paymentModeCodes.find(
    (code) => code === name || paymentModes[code].toLowerCase() === name,
  );
}

/** The code of a mode by its display name; EMI is card payment in instalments. */
export function findPaymentModeCode(shown: string | null): PaymentModeCode | undefined {
  const mode = shown?.replace(/ EMI$/, '');
  return paymentModeCodes.find((code) => paymentModes[code] === mode);
}

type PaymentChoice = {
  readonly field: 'bank_code' | 'wallet_code' | 'upi_id';
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
