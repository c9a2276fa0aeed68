/** An order as the service keeps it, and what its status is at a given time. */
import type { MinorUnits, SentAmount } from '../money/money.ts';
import type { ReviewFlag } from '../review-flag.ts';
import type { SentPhone } from './phone.ts';

export type OrderStatus = 'new' | 'pending' | 'completed' | 'lapsed';

export type Amounts = {
  readonly currency: string;
  readonly beforeTax: MinorUnits;
  readonly tax: MinorUnits;
  readonly total: MinorUnits;
};

/** The order was received in one currency and is processed in another. Contract 3.7. */
export type CurrencyConversion = {
  readonly original: Amounts;
  /** Decimal text: one major unit of the original currency in the converted one. */
  readonly rate: string;
};

export type User = {
  readonly email?: string;
  readonly firstName?: string;
  readonly lastName?: string;
  readonly countryCode: string;
  readonly mobileNumber?: string;
};

/** A consumer as a call names them: the phone number is not read yet. */
export type SentUser = Omit<User, 'countryCode' | 'mobileNumber'> & SentPhone;

export type Address = {
  readonly address1?: string;
  readonly street?: string;
  readonly landmark?: string;
  readonly area?: string;
  readonly city?: string;
  readonly state?: string;
  readonly pincode?: string;
  readonly addressType?: string;
};

/** A number as it is kept: items stay as the merchant sent them. Contract 3.4. */
export type SentNumber = number | string;

export type LineItem<Numeral = SentNumber> = {
  readonly skuId?: string;
  readonly title: string;
  readonly description?: string;
  readonly imageUrl?: string | false;
  readonly rate?: Numeral;
  readonly quantity: Numeral;
  readonly amountBeforeTax?: Numeral;
  readonly tax?: Numeral;
  readonly totalAmount?: Numeral;
};

export type SentLineItem = LineItem<SentAmount>;

export type BankAccount = {
  readonly accountNumber?: string;
  readonly name?: string;
  readonly ifsc?: string;
};

/** In the order the merchant sent them; pairs, so that no key can be mistaken for a method. */
export type CustomAttributes = ReadonlyArray<readonly [key: string, value: string]>;

/** Everything about an order that is kept and shown but decides nothing. */
export type OrderDetails = {
  readonly user?: User;
  readonly shippingAddress?: Address;
  readonly billingAddress?: Address;
  readonly lineItems?: readonly LineItem[];
  /** Sealed text from the moment it is stored; clear in a request, and in orders from before. */
  readonly bankAccount?: BankAccount | string;
  readonly customAttributes?: CustomAttributes;
  readonly callbackUrl?: string;
  readonly callbackMode?: string;
  readonly description?: string;
  readonly referrerPlatform?: string;
  readonly referrerPlatformVersion?: string;
  readonly ipAddress?: string;
  readonly merchantShopfrontDomain?: string;
  readonly validateOrderLineItem?: boolean;
};

/** Details as a call brings them, before they are decided on. */
export type SentDetails = Omit<OrderDetails, 'user' | 'lineItems'> & {
  readonly user?: SentUser;
  readonly lineItems?: readonly SentLineItem[];
};

/** Whom an order was for before it was changed, so that erasing them finds it. Contract 8.7. */
export type EarlierConsumer = {
  /** The order's `userId` of that time. */
  readonly userId: string | null;
  /** A keyed digest of an e-mail address or phone number that the order has lost. */
  readonly digest: string;
};

export type Order = {
  readonly accountId: string;
  readonly orderId: string;
  readonly invoiceId: string;
  /** The status when it was last saved; `orderStatus` tells today's. */
  readonly savedStatus: OrderStatus;
  readonly attempts: number;
  readonly amounts: Amounts;
  readonly conversion: CurrencyConversion | null;
  readonly userId: string | null;
  /** Resolve user tied the order to the consumer in `userId`. Contract 11.2. */
  readonly restricted: boolean;
  readonly details: OrderDetails;
  /** Absent for nearly every order: its consumer was never changed. */
  readonly earlierConsumers?: readonly EarlierConsumer[];
  /** Tells the same request sent again from another one under the same invoice. Contract 3.5. */
  readonly contentDigest: Buffer;
  readonly createdAt: Date;
  readonly lapsesAt: Date;
  readonly flags: readonly ReviewFlag[];
};

/** Contract 4.3: time alone turns an order that was not paid into a lapsed one. */
export function orderStatus(
  order: Pick<Order, 'savedStatus' | 'lapsesAt'>,
  now: Date,
): OrderStatus {
  if (order.savedStatus === 'completed') return 'completed';
  return now >= order.lapsesAt ? 'lapsed' : order.savedStatus;
}

export function isOpen(status: OrderStatus): boolean {
  return status === 'new' || status === 'pending';
}
