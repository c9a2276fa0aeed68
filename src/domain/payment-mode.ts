/** The ways to pay that a merchant can offer. Contract 4.1. */

/** By code, as shown; in the order they are listed. */
export const paymentModes = {
  upi: 'UPI',
  credit_card: 'Credit Card',
  debit_card: 'Debit Card',
  net_banking: 'Netbanking',
  wallet: 'Wallet',
  prepaid_card: 'Prepaid Card',
} as const;

export type PaymentModeCode = keyof typeof paymentModes;

/** The modes in which the consumer chooses one of several banks or wallets. */
export type ChoiceMode = 'net_banking' | 'wallet';

export const paymentModeCodes = Object.keys(paymentModes) as readonly PaymentModeCode[];

/** The code of a mode as a provider's notice shows it; instalments are paid by card. */
export function findPaymentModeCode(shown: string | null): PaymentModeCode | undefined {
  const mode = shown?.replace(/ EMI$/, '');
  return paymentModeCodes.find((code) => paymentModes[code] === mode);
}
