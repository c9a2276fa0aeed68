/** Shared parts of the delivery sets of both providers. */
import fc from 'fast-check';

export type Fields = Record<string, unknown>;
export type Of<Source> = Source extends fc.Arbitrary<infer Value> ? Value : never;

/** One call of a provider; a string is form data. */
export type SetDelivery = {
  readonly provider: 'partner' | 'bank-gateway';
  /** The event id in the header. Absent if repeats are recognised by content only. */
  readonly eventId?: string;
  readonly body: Fields | string;
};

export type SetNames = {
  /** The invoice id that the deliveries refer to. */
  readonly invoiceId: string;
  /** Makes the providers' ids unique to this set. */
  readonly tag: string;
};

/** The total of the orders of these sets, in minor units of INR. */
export const expectedTotal = 11_800;
/** The bank gateway merchant of the accounts that receive these sets. */
export const expectedMerchant = 'TESTMERCHANT';

export const fee = 236;
export const offerDiscount = 1_180;
export const part = 5_000;
export const firstSecond = 1_794_700_000;

export const amounts = fc.oneof(
  { weight: 6, arbitrary: fc.constant('expected' as const) },
  { weight: 1, arbitrary: fc.constant('less' as const) },
  { weight: 1, arbitrary: fc.constant('foreign currency' as const) },
  { weight: 1, arbitrary: fc.constant('with customer fee' as const) },
  { weight: 1, arbitrary: fc.constant('with offer' as const) },
);
export type AmountKind = Of<typeof amounts>;

export type Writer = SetNames & {
  readonly nextEventId: () => string;
  /** True once for each set: at least one delivery must refer to the order. */
  readonly isFirstOfPartner: () => boolean;
};

export function createWriter(names: SetNames): Writer {
  let events = 0;
  let isFirst = true;
  return {
    ...names,
    nextEventId: () => {
      events += 1;
      return `Ev${names.tag}${String(events).padStart(4, '0')}`;
    },
    isFirstOfPartner: () => {
      const answer = isFirst;
      isFirst = false;
      return answer;
    },
  };
}

/** The start time of a record. Each record of each attempt has its own second. */
export function secondOf(attempt: number, record: number): number {
  return firstSecond + 100 * record + 10 * attempt;
}

export function isoSecond(second: number): string {
  return new Date(second * 1000).toISOString();
}
