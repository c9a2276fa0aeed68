/** Folds single payments and refunds, without matching records to transactions. */
import { foldPayment as foldPlacedPayment } from '../../src/domain/payments/fold-payment.ts';
import {
  foldRefund as foldPlacedRefund,
  type UnfoldedRefund,
} from '../../src/domain/payments/fold-refund.ts';
import type { Expected, Payment, Refund } from '../../src/domain/payments/transaction.ts';
import type { UnfoldedPayment } from '../../src/domain/payments/weigh-payment.ts';

type Given<Unfolded> = Partial<Unfolded> &
  Pick<UnfoldedPayment, 'transactionId' | 'provider' | 'start'> & {
    readonly notices: Unfolded extends { readonly notices: infer Notices } ? Notices : never;
  };

export function foldPayment(given: Given<UnfoldedPayment>, expected: Expected): Payment {
  return foldPlacedPayment(
    {
      type: 'payment',
      pspTransactionId: idOf(given),
      captures: null,
      voided: null,
      capturedLimit: null,
      ...given,
    },
    expected,
  );
}

export function foldRefund(given: Given<UnfoldedRefund>): Refund {
  return foldPlacedRefund({
    type: 'refund',
    pspTransactionId: idOf(given),
    voidedPspIds: null,
    ...given,
  });
}

function idOf({
  notices,
}: {
  notices: ReadonlyArray<{ pspTransactionId: string; record?: string }>;
}) {
  return notices.find((notice) => notice.record === undefined)?.pspTransactionId ?? null;
}
