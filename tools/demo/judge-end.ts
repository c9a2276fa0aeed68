/** Lists what is wrong with an order, given its expected end and the providers' ledger. */
import type { Enquiry, Transaction } from '../../client/client.js';
import type { LedgerDispute, LedgerPayment } from '../../simulator/simulator.ts';
import type { End } from './ends.ts';

export function wrongsOf(
  end: End,
  { order, transaction }: Enquiry,
  payments: readonly LedgerPayment[],
): string[] {
  const charged = payments.filter(({ status }) => status === 'captured');
  const reversed = payments.filter(({ status }) => status === 'reversed');
  const isOrderRight =
    end === 'completed'
      ? order.status === 'completed'
      : order.status === 'pending' || order.status === 'lapsed';
  const chargesExpected = end === 'reversed' ? 0 : 1;
  const wrongs = [
    !isOrderRight && `is ${order.status}`,
    charged.length !== chargesExpected && `was charged ${charged.length} times`,
    end === 'reversed' && reversed.length === 0 && 'has no payment that was reversed',
    end === 'reversed' && transaction.some(isRefund) && 'has a refund of what was never taken',
    ...charged.flatMap((payment) => wrongsOfCharge(payment, find(payment))),
    ...reversed.map((payment) => {
      const status = find(payment)?.payment_status;
      return status !== 'reversed' && `says ${status} of a payment that was reversed`;
    }),
  ];
  return wrongs.filter((wrong) => wrong !== false);

  function find({ id }: LedgerPayment): Transaction | undefined {
    return transaction.find(({ psp_transaction_id }) => psp_transaction_id === id);
  }
}

function wrongsOfCharge(payment: LedgerPayment, told: Transaction | undefined) {
  const amount = minor(told?.transaction_amount);
  const discount = minor(told?.offer_discount);
  const status = told?.payment_status;
  return [
    status !== 'succeeded' && `says ${status} of a payment that was captured`,
    amount !== payment.amount && `says ${amount} were paid, the provider ${payment.amount}`,
    discount !== payment.discount && `shows ${discount} off, the provider ${payment.discount}`,
  ];
}

/** Every dispute of the ledger is shown with its status and amounts, and no other one. */
export function wrongDisputes(
  { transaction }: Enquiry,
  disputes: readonly LedgerDispute[],
): string[] {
  const truth = disputes.map(({ id, status, amount }) => {
    return `${id} ${status} ${amount} ${status === 'lost' ? amount : 0}`;
  });
  const told = transaction.flatMap((entry) =>
    entry.disputes.map(({ dispute_id, status, amount, amount_deducted }) => {
      return `${dispute_id} ${status} ${minor(amount)} ${minor(amount_deducted)}`;
    }),
  );
  return [
    ...truth.filter((line) => !told.includes(line)).map((line) => `does not show dispute ${line}`),
    ...told.filter((line) => !truth.includes(line)).map((line) => `shows dispute ${line}`),
  ];
}

function isRefund({ transaction_type }: Transaction): boolean {
  return transaction_type !== 'payment';
}

/** The orders of the demo use a currency with two decimals. */
function minor(amount: number | null | undefined): number {
  return Math.round((amount ?? 0) * 100);
}
