/** What a list of orders can be limited to. All given conditions must hold. */
import { refuseField } from '../errors.ts';
import type { MinorUnits } from '../money/money.ts';
import type { ReviewFlag } from '../review-flag.ts';
import type { OrderStatus } from './order.ts';

export type OrderFilter = {
  readonly status?: OrderStatus;
  /** On the order or on one of its transactions, resolved or not. */
  readonly flag?: ReviewFlag;
  readonly from?: Date;
  /** Created before. */
  readonly to?: Date;
  readonly currency?: string;
  /** The total of the order in minor units, which mean nothing without a currency. */
  readonly amountMin?: MinorUnits;
  readonly amountMax?: MinorUnits;
  /** The order has a payment for which all of these hold. */
  readonly payment?: PaymentFilter;
  readonly isRefunded?: true;
  /** It has a dispute that is not final, or was lost. */
  readonly isDisputed?: true;
};

export type PaymentFilter = {
  readonly status?: 'succeeded' | 'failed';
  /** As it is shown, such as `UPI`; empty for an unknown one. */
  readonly mode?: string;
  readonly provider?: string;
  /** A code of the failure; empty for an unknown one. */
  readonly failure?: string;
};

export function checkFilter({ currency, amountMin, amountMax }: OrderFilter): void {
  const hasAmount = amountMin !== undefined || amountMax !== undefined;
  if (hasAmount && currency === undefined) refuseField('currency', 'is needed for an amount');
}
