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
  ...['Credit Card EMI', 'Debit Card EMI', 'Card', 'Pay Later'],
];

export type PaymentModeCode = keyof typeof paymentModes;

/** The modes in which the consumer chooses a bank or a wallet. */
export type ChoiceMode = 'net_banking' | 'wallet';

export const paymentModeCodes = Object.keys(paymentModes) as readonly PaymentModeCode[];

/** The code of a mode by its display name; EMI is card payment in instalments. */
export function findPaymentModeCode(shown: string | null): PaymentModeCode | undefined {
  const mode = shown?.replace(/ EMI$/, '');
  return paymentModeCodes.find((code) => paymentModes[code] === mode);
}
