/** What the caller of initiate-payment is answered: from the provider's answer, or from the payment as it stands. */
import type { PaymentStatus } from '../../domain/transactions/notice.ts';
import type { Payment } from '../../domain/transactions/transaction.ts';
import type { Outcome, StartedPayment } from '../../providers/outbound.ts';
import { getProvider } from '../../providers/providers.ts';
import type { ServiceSettings } from '../../services/services.ts';

type Needs = {
  readonly settings: ServiceSettings;
};

export type PaymentReply = {
  readonly orderId: string;
  readonly transactionId: string;
  readonly status: Exclude<PaymentStatus, 'new'>;
  readonly message: string;
  /** Where the consumer pays. */
  readonly redirectUrl?: string;
};

type Named = {
  readonly accountId: string;
  readonly orderId: string;
  readonly transactionId: string;
};

export function replyToStart(
  services: Needs,
  named: Named,
  result: Outcome<StartedPayment>['result'],
): PaymentReply {
  switch (result.kind) {
    case 'done':
      return payable(named, result.redirectUrl ?? launchPageOf(services, named));
    case 'refused': {
      const message = `The provider refused to start the payment: ${result.why}.`;
      return { ...idsOf(named), status: 'failed', message };
    }
    case 'unknown':
    case 'not-sent':
      return undecided(named);
    default:
      return result satisfies never;
  }
}

/**
 * The answer of a process that ended before it gave one. A page of the provider's that only that process knew is not
 * known any more; our own page is.
 */
export function replyAsItStands(services: Needs, named: Named, payment: Payment): PaymentReply {
  const { status, start, provider, failure } = payment;
  switch (status) {
    case 'new':
    case 'pending': {
      const hasPage = start?.providerOrderId !== undefined;
      return hasPage && getProvider(provider).outbound.launchForm
        ? payable(named, launchPageOf(services, named))
        : undecided(named);
    }
    case 'failed': {
      const message = failure?.merchantMessage ?? 'The payment has failed.';
      return { ...idsOf(named), status, message };
    }
    default:
      return { ...idsOf(named), status, message: `The payment is ${status}.` };
  }
}

function payable(named: Named, redirectUrl: string): PaymentReply {
  const message = 'Send the consumer to the payment page.';
  return { ...idsOf(named), status: 'pending', message, redirectUrl };
}

function undecided(named: Named): PaymentReply {
  const message =
    'The provider has not answered yet: ask for the outcome with transaction-enquiry, or start another payment.';
  return { ...idsOf(named), status: 'pending', message };
}

/** Our own page of a payment. */
export function launchPageOf(
  { settings }: Needs,
  { accountId, transactionId }: Pick<Named, 'accountId' | 'transactionId'>,
): string {
  return `${settings.publicUrl}/pay/${accountId}/${transactionId}`;
}

function idsOf({ orderId, transactionId }: Named) {
  return { orderId, transactionId };
}
