/**
 * A new exchange rate that is far from the former one is probably a mistake, and one digit costs the shop its turnover. So
 * it has to be given twice. Contract 13.9, docs/decisions/0063.
 */
import { refuseField, ServiceError } from '../errors.ts';
import { type Decimal, parseDecimal } from '../money/money.ts';
import type { AlternateCurrency } from './account.ts';

export type RequestedRate = AlternateCurrency & {
  readonly confirmedRate?: string;
};

type KnownRates = {
  readonly alternateCurrencies: readonly AlternateCurrency[];
  /** The last rates of currencies, also of those that have none now. */
  readonly formerRates: readonly AlternateCurrency[];
};

/** Returns the rates as they are stored. The account must be locked, so that none is compared with an outdated one. */
export function confirmRates(
  { alternateCurrencies, formerRates }: KnownRates,
  requested: readonly RequestedRate[],
): AlternateCurrency[] {
  return requested.map(({ from, to, rate, confirmedRate }) => {
    const given = { from, to, rate };
    if (confirmedRate !== undefined && !isSame(rate, confirmedRate)) {
      refuseField(`confirmed_rate ${confirmedRate}`, `must repeat the rate of ${textOf(given)}`);
    }
    const former = findRate(alternateCurrencies, from) ?? findRate(formerRates, from);
    if (former && confirmedRate === undefined && isFar(former, given)) {
      throw new ServiceError(
        'RATE_NOT_CONFIRMED',
        `The exchange rate ${textOf(given)} is not within a factor of two of the former one, ${textOf(former)}: if it is right, repeat ${rate} in confirmed_rate, or on the command line as ${textOf(given)}:${rate}.`,
      );
    }
    return given;
  });
}

/** For the audit log: each rate that changed, from what to what. */
export function listRateChanges(
  before: readonly AlternateCurrency[],
  after: readonly AlternateCurrency[],
): string[] {
  const currencies = new Set([...before, ...after].map(({ from }) => from));
  return [...currencies].flatMap((from) => {
    const [old = 'none', changed = 'none'] = [before, after].map((rates) => {
      const rate = findRate(rates, from);
      return rate && textOf(rate);
    });
    return old === changed ? [] : [`${old} to ${changed}`];
  });
}

function findRate(rates: readonly AlternateCurrency[], currency: string) {
  return rates.find(({ from }) => from === currency);
}

const textOf = ({ from, to, rate }: AlternateCurrency): string => `${from}:${to}:${rate}`;

function isSame(rate: string, repeated: string): boolean {
  const [one, other] = [parseDecimal(rate), parseDecimal(repeated)];
  return one?.digits === other?.digits && one?.scale === other?.scale;
}

/** Rates into two currencies cannot be compared. */
function isFar(former: AlternateCurrency, given: AlternateCurrency): boolean {
  const [one, other] = [parseDecimal(former.rate), parseDecimal(given.rate)];
  if (!one || !other || former.to !== given.to) return true;
  return isMoreThanTwice(one, other) || isMoreThanTwice(other, one);
}

function isMoreThanTwice(one: Decimal, other: Decimal): boolean {
  return one.digits * 10n ** BigInt(other.scale) > 2n * other.digits * 10n ** BigInt(one.scale);
}
