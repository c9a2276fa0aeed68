/** Reads the form of the checkout page. Contract 14.2. */
import {
  paymentChoices,
  paymentModeCodes,
  readPaymentModeCode,
} from '../../domain/payment-mode.ts';
import type { Checkout } from '../../use-cases/checkout/get-checkout.ts';
import type { PaymentRequest } from '../../use-cases/payments/start-payment.ts';
import type { Language } from './language.ts';
import type { Words } from './words/en.ts';

export type Problem = keyof Words['problems'];

export type ViewOptions = {
  readonly basePath: string;
  readonly language: Language;
  readonly formKey: string;
  /** In a frame, the script of the page keeps the token and hands the result to the shop. Contract 14.8. */
  readonly frame: { readonly token: string; readonly now: Date } | undefined;
  /** What is chosen already: by the address, or by the consumer if the form is shown again. */
  readonly form: Choice;
  readonly problem: Problem | undefined;
};

export type Choice = { readonly mode: string | undefined; readonly chosen: Chosen };

export type SentForm = Choice & {
  readonly formKey: string;
  /** Opens the checkout. */
  readonly token: string | undefined;
  /** How many payments the order had when the page was shown; -1 if the form does not say. */
  readonly attempt: number;
};

export type Chosen = Readonly<Record<'bank_code' | 'wallet_code' | 'upi_id', string | undefined>>;

export function readForm(body: unknown): SentForm {
  const fields = new URLSearchParams(typeof body === 'string' ? body : '');
  const text = (name: string) => fields.get(name)?.trim() || undefined;
  const attempt = text('attempt') ?? '';
  return {
    formKey: text('form_key') ?? '',
    token: text('token'),
    attempt: /^\d{1,4}$/.test(attempt) ? Number(attempt) : -1,
    mode: text('payment_mode_code'),
    chosen: {
      bank_code: text('bank_code'),
      wallet_code: text('wallet_code'),
      upi_id: text('upi_id'),
    },
  };
}

type Query = Readonly<Record<string, unknown>>;

/** What the address of the page chooses. A mode that the page does not offer is ignored. Contract 14.2. */
export function readPreset(query: Query, { modes }: Pick<Checkout, 'modes'>): Choice {
  const { payment_mode_code: mode, bank_code } = readAddress(query);
  const isOffered = [...modes.fast, ...modes.other].some((code) => code === mode);
  return {
    mode: isOffered ? mode : undefined,
    chosen: { bank_code, wallet_code: undefined, upi_id: undefined },
  };
}

/** The part of an address that `readPreset` reads, for a redirect to the page. */
export function presetQuery(query: Query): string {
  const known = Object.entries(readAddress(query)).filter(([, value]) => value !== undefined);
  return known.length === 0 ? '' : `?${new URLSearchParams(known as [string, string][])}`;
}

function readAddress({ payment_mode_code: mode, bank_code: bank }: Query) {
  const isBank = typeof bank === 'string' && paymentChoices.net_banking?.pattern.test(bank);
  return {
    payment_mode_code: typeof mode === 'string' ? readPaymentModeCode(mode) : undefined,
    bank_code: isBank ? bank : undefined,
  };
}

export function toPaymentRequest(
  orderId: string,
  form: SentForm,
  inFrame: boolean,
): PaymentRequest | { readonly problem: Problem } {
  const modeCode = paymentModeCodes.find((code) => code === form.mode);
  if (!modeCode) return { problem: 'pickOne' };
  const request = {
    orderId,
    modeCode,
    callbackUrl: undefined,
    callbackMode: undefined,
    atCheckout: { attempt: form.attempt, inFrame },
  };
  const choice = paymentChoices[modeCode];
  const value = choice && form.chosen[choice.field];
  if (!choice || (value === undefined && !choice.isRequired)) {
    return { ...request, choice: undefined };
  }
  if (value === undefined) return { problem: 'pickOne' };
  if (choice.pattern.test(value)) return { ...request, choice: { [choice.shownAs]: value } };
  return { problem: modeCode === 'upi' ? 'upiIdInvalid' : 'pickOne' };
}
