/** What a provider can be asked to do: three verbs for what goes out. Contract 11.6. */

import { maskCardNumbers } from '../domain/cards/card-numbers.ts';
import type { MinorUnits } from '../domain/money/money.ts';
import type { PaymentModeCode } from '../domain/payment-mode.ts';
import type { Transaction } from '../domain/transactions/transaction.ts';
import type { Answer, ProviderApi } from './call.ts';
import { object, text } from './wire.ts';

/** A payment as the provider gets it; our ids travel with it, so that its webhooks find the way back. */
export type PaymentToStart = {
  readonly transactionId: string;
  readonly orderId: string;
  readonly invoiceId: string;
  readonly amount: MinorUnits;
  readonly currency: string;
  readonly modeCode: PaymentModeCode;
  /** The bank, the wallet or the UPI id the consumer chose. */
  readonly choice: Readonly<Record<string, string>>;
  readonly description: string;
  readonly shopName: string;
  /** Where the provider sends the consumer afterwards. */
  readonly callbackUrl: string | undefined;
  readonly webhookUrl: string;
};

export type RefundToStart = {
  /** Of the whole refund. */
  readonly transactionId: string;
  /** Of this call: a refund that is split over several captures is a call for each. */
  readonly callId: string;
  readonly refundRequestId: string;
  readonly amount: MinorUnits;
  readonly currency: string;
  readonly paymentPspId: string;
};

/** What is asked about: a payment or refund, with the payment a refund is of. */
export type TransactionToFetch = {
  readonly orderId: string;
  readonly transaction: Transaction;
};

/** Bodies in the shape of the provider's own deliveries: kept and applied like those. */
export type Records = readonly Buffer[];

export type Outcome<Done> = {
  readonly answer: Answer;
  readonly result:
    | ({ readonly kind: 'done' } & Done)
    /** The provider said no, for good. */
    | { readonly kind: 'refused'; readonly why: string }
    | { readonly kind: 'unknown'; readonly why: string }
    | { readonly kind: 'not-sent'; readonly why: string };
};

export type StartedPayment = {
  /** The provider's own id of the order it made. */
  readonly providerOrderId?: string;
  /** Where the consumer pays; undefined where a form has to be posted. */
  readonly redirectUrl?: string;
};

export type FetchedStatus = {
  /** False when the provider has never heard of it. */
  readonly isKnown: boolean;
  readonly providerOrderId?: string;
  /** True when somebody has tried to pay, also where there is nothing to tell of it yet. */
  readonly wasTried: boolean;
  /** Calls of a refund that the provider knows, where it was asked about one. */
  readonly knownCallIds?: readonly string[];
  readonly records: Records;
};

/** A page of the provider's that is reached by posting a form. */
export type LaunchForm = {
  readonly action: string;
  readonly fields: Readonly<Record<string, string>>;
};

export type OutboundProvider = {
  readonly startPayment: (
    api: ProviderApi,
    payment: PaymentToStart,
  ) => Promise<Outcome<StartedPayment>>;
  readonly startRefund: (
    api: ProviderApi,
    refund: RefundToStart,
  ) => Promise<Outcome<{ readonly records: Records }>>;
  readonly fetchStatus: (
    api: ProviderApi,
    asked: TransactionToFetch,
  ) => Promise<Outcome<FetchedStatus>>;
  /** The provider's id of a refund, where it is ours to choose. */
  readonly refundPspId?: (refund: Pick<RefundToStart, 'paymentPspId' | 'callId'>) => string;
  readonly launchForm?: (
    api: Pick<ProviderApi, 'url' | 'login'>,
    payment: PaymentToStart & { readonly providerOrderId: string },
  ) => LaunchForm;
  /** The field that its page adds to the way back once the consumer has paid. It is a hint and proves nothing. */
  readonly paidField?: string;
};

/** An answer to a result: `read` looks at what was answered with success. */
export function outcomeOf<Done>(
  answer: Answer,
  read: (answer: Extract<Answer, { kind: 'answered' }>) => ({ kind: 'done' } & Done) | undefined,
): Outcome<Done> {
  if (answer.kind !== 'answered') return { answer, result: { kind: answer.kind, why: answer.why } };
  if (answer.status >= 400) return { answer, result: { kind: 'refused', why: errorOf(answer) } };
  const done = answer.status < 300 ? read(answer) : undefined;
  if (done) return { answer, result: done };
  const why = 'the provider answered something we do not understand';
  return { answer, result: { kind: 'unknown', why } };
}

const wordsMax = 300;

/** The provider's own words, for the merchant; they hold nothing that we sent in secret. */
function errorOf({ status, body }: Extract<Answer, { kind: 'answered' }>): string {
  const error = object(body.error);
  const words = text(error.description) ?? text(error.explanation) ?? text(error.cause);
  if (words === undefined) return `HTTP status ${status}`;
  // Masked first: a number that is cut in half is not known for one.
  return `HTTP status ${status}: ${maskCardNumbers(words).slice(0, wordsMax)}`;
}
