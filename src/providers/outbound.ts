/** The calls that we make to a provider: start a payment, start a refund, fetch a status. Contract 11.6. */
import type { ProviderValues } from '../domain/accounts/account.ts';
import { maskCardNumbers } from '../domain/cards/card-numbers.ts';
import type { MinorUnits } from '../domain/money/money.ts';
import type { ConsumerContact } from '../domain/orders/consumer.ts';
import type { BankAccount } from '../domain/orders/order.ts';
import type { PaymentModeCode } from '../domain/payment-mode.ts';
import type { FailureCode } from '../domain/payments/failure.ts';
import { paymentLimits } from '../domain/payments/limits.ts';
import type { Transaction } from '../domain/payments/transaction.ts';
import { isLoopback, isUpiIntent, isWebAddress } from '../domain/web-address.ts';
import type { Answer, ProviderApi } from './call.ts';
import { object, text, truncate, type WireObject } from './wire.ts';

/**
 * Our ids are sent along, so that the provider's webhooks can be matched to the payment. The launch page needs no token,
 * so nothing here is about the consumer but their choice.
 */
export type PaymentToLaunch = {
  readonly transactionId: string;
  readonly orderId: string;
  readonly invoiceId: string;
  readonly amount: MinorUnits;
  readonly currency: string;
  readonly modeCode: PaymentModeCode;
  readonly choice: Readonly<Record<string, string>>;
  /** The amount is only reserved: the shop captures it later. Contract 16.2. */
  readonly isHeld?: true;
  readonly description: string;
  readonly shopName: string;
  readonly callbackUrl: string | undefined;
  readonly webhookUrl: string;
};

export type PaymentToStart = PaymentToLaunch & {
  /** Only for a call that requires it. It must not be logged, stored or repeated in an error. */
  readonly consumer: ConsumerContact;
  /** The account that the payment must come from, in clear. The same holds for it. Contract 3.14. */
  readonly bankAccount?: BankAccount;
};

export type RefundToStart = {
  readonly transactionId: string;
  /** Identifies this call: a refund over several captures takes one call for each. */
  readonly callId: string;
  readonly refundRequestId: string;
  readonly amount: MinorUnits;
  readonly currency: string;
  readonly paymentPspId: string;
};

/** A capture or void of an authorised payment. Contract 16.3. */
export type OperationToRequest = {
  /** The same each time it is sent, so that it is made once. */
  readonly operationId: string;
  readonly paymentPspId: string;
  readonly amount: MinorUnits;
  readonly currency: string;
};

type RequestOperation = (
  api: ProviderApi,
  operation: OperationToRequest,
) => Promise<Outcome<{ readonly records: Records }>>;

export type TransactionToFetch = {
  readonly orderId: string;
  readonly transaction: Transaction;
  /** Before the call: what the provider returns is not older. */
  readonly now: Date;
};

/** Bodies in the format of the provider's deliveries, which are stored and applied like those. */
export type Records = readonly Buffer[];

export type Outcome<Done> = {
  readonly answer: Answer;
  readonly result:
    | ({ readonly kind: 'done' } & Done)
    /** The refusal is final. `code` replaces the general one where the provider's reason is known. */
    | { readonly kind: 'refused'; readonly why: string; readonly code?: FailureCode }
    | { readonly kind: 'unknown'; readonly why: string }
    | { readonly kind: 'not-sent'; readonly why: string };
};

export type StartedPayment = {
  readonly providerOrderId?: string;
  /** Where the consumer pays; undefined if a form has to be posted. */
  readonly redirectUrl?: string;
  /** Opens the consumer's UPI app. Read it with `readIntentUrl`. */
  readonly intentUrl?: string;
  /** The call for the intent, which is recorded beside the one that started the payment. */
  readonly intentCall?: {
    readonly answer: Answer;
    readonly outcome: Outcome<unknown>['result']['kind'];
  };
};

export type FetchedStatus = {
  readonly isKnown: boolean;
  readonly providerOrderId?: string;
  /** True if the consumer has tried to pay, even if there is no record of it yet. */
  readonly wasTried: boolean;
  /** The ids of our refund calls, captures and voids that the provider knows, where we choose them. */
  readonly knownCallIds?: readonly string[];
  readonly records: Records;
};

type Holds = {
  readonly capture: RequestOperation;
  /** Absent if the provider has no call for it: then the hold ends by itself. Contract 16.5. */
  readonly void?: RequestOperation;
  /** Whether less than the authorised amount can be captured, and several times. */
  readonly takesParts: boolean;
  /** How many days a hold lasts. */
  readonly days: (settings: ProviderValues) => number;
  /** The provider's id of a capture or void, if we choose it. */
  readonly pspIdOf?: (
    operation: Pick<OperationToRequest, 'paymentPspId' | 'operationId'>,
  ) => string;
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
  /** Absent if payments there cannot be captured later; they are then captured at once. Contract 16. */
  readonly holds?: Holds;
  /** What became of a dispute, if the provider can be asked. Contract 17.2. */
  readonly fetchDispute?: (
    api: ProviderApi,
    dispute: { readonly disputeId: string; readonly now: Date },
  ) => Promise<Outcome<{ readonly records: Records }>>;
  /** The provider's id of a refund, if we choose it. */
  readonly refundPspId?: (refund: Pick<RefundToStart, 'paymentPspId' | 'callId'>) => string;
  /** For a provider whose payment page is reached by posting a form. */
  readonly launchForm?: (
    api: Pick<ProviderApi, 'url' | 'login'>,
    payment: PaymentToLaunch & { readonly providerOrderId: string },
  ) => { readonly action: string; readonly fields: Readonly<Record<string, string>> };
  /** The field that its page adds to the way back once the consumer has paid. It is a hint and proves nothing. */
  readonly paidField?: string;
};

/**
 * A UPI intent, or an http URL on loopback from a provider that is on loopback itself: the simulator. Undefined for
 * anything else, because a consumer's browser or phone opens it.
 */
export function readIntentUrl({ url: apiUrl }: Pick<ProviderApi, 'url'>, value: unknown) {
  const url = text(value);
  if (url === undefined || url.length > paymentLimits.paymentUrlCharsMax) return undefined;
  if (isUpiIntent(url)) return url;
  return isPlainLoopback(apiUrl) && isPlainLoopback(url) ? url : undefined;
}

function isPlainLoopback(url: string): boolean {
  return isWebAddress(url) && /^http:/i.test(url) && isLoopback(new URL(url).hostname);
}

/** Turns an answer into a result. `read` gets bodies of success, and returns undefined for one that is not usable. */
export function outcomeOf<Done extends object>(
  answer: Answer,
  read: (body: WireObject) => Done | undefined,
): Outcome<Done> {
  if (answer.kind !== 'answered') return { answer, result: { kind: answer.kind, why: answer.why } };
  if (answer.status >= 400) return { answer, result: { kind: 'refused', why: errorOf(answer) } };
  const done = answer.status < 300 ? read(answer.body) : undefined;
  if (done) return { answer, result: { kind: 'done', ...done } };
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
