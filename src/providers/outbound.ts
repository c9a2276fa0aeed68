/** The calls that we make to a provider: start a payment, start a refund, fetch a status. Contract 11.6. */
import { maskCardNumbers } from '../domain/cards/card-numbers.ts';
import type { MinorUnits } from '../domain/money/money.ts';
import type { PaymentModeCode } from '../domain/payment-mode.ts';
import type { Transaction } from '../domain/transactions/transaction.ts';
import type { Answer, ProviderApi } from './call.ts';
import { object, text, truncate } from './wire.ts';

/** Our ids are sent along, so that the provider's webhooks can be matched to the payment. */
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
  /** Identifies the whole refund. */
  readonly transactionId: string;
  /** Identifies this call: a refund over several captures takes one call for each. */
  readonly callId: string;
  readonly refundRequestId: string;
  readonly amount: MinorUnits;
  readonly currency: string;
  readonly paymentPspId: string;
};

export type TransactionToFetch = {
  readonly orderId: string;
  readonly transaction: Transaction;
};

/** Bodies in the format of the provider's deliveries, which are stored and applied like those. */
export type Records = readonly Buffer[];

export type Outcome<Done> = {
  readonly answer: Answer;
  readonly result:
    | ({ readonly kind: 'done' } & Done)
    /** The refusal is final. */
    | { readonly kind: 'refused'; readonly why: string }
    | { readonly kind: 'unknown'; readonly why: string }
    | { readonly kind: 'not-sent'; readonly why: string };
};

export type StartedPayment = {
  /** The provider's own id of the order that it created. */
  readonly providerOrderId?: string;
  /** Where the consumer pays; undefined if a form has to be posted. */
  readonly redirectUrl?: string;
};

export type FetchedStatus = {
  /** False if the provider does not know the transaction. */
  readonly isKnown: boolean;
  readonly providerOrderId?: string;
  /** True if the consumer has tried to pay, even if there is no record of it yet. */
  readonly wasTried: boolean;
  /** For a refund: the ids of its calls that the provider knows. */
  readonly knownCallIds?: readonly string[];
  readonly records: Records;
};

/** For a provider whose payment page is reached by posting a form. */
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
    target: TransactionToFetch,
  ) => Promise<Outcome<FetchedStatus>>;
  /** The provider's id of a refund, if we choose it. */
  readonly refundPspId?: (refund: Pick<RefundToStart, 'paymentPspId' | 'callId'>) => string;
  readonly launchForm?: (
    api: Pick<ProviderApi, 'url' | 'login'>,
    payment: PaymentToStart & { readonly providerOrderId: string },
  ) => LaunchForm;
  /** The field that its page adds to the way back once the consumer has paid. It is a hint and proves nothing. */
  readonly paidField?: string;
};

/** Turns an answer into a result. `read` gets successful answers, and returns undefined for one that is not usable. */
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

const messageCharsMax = 300;

/** The provider's own message, for the merchant. It cannot contain our credentials. */
function errorOf({ status, body }: Extract<Answer, { kind: 'answered' }>): string {
  const error = object(body.error);
  const message = text(error.description) ?? text(error.explanation) ?? text(error.cause);
  if (message === undefined) return `HTTP status ${status}`;
  // Masked before it is cut: half a card number would not be recognised.
  return `HTTP status ${status}: ${truncate(maskCardNumbers(message), messageCharsMax)}`;
}
