/**
 * The active ISO 4217 currencies with their number of decimals. The list comes from the package
 * `currency-codes`; later amendments are applied here.
 */
import published from 'currency-codes';

/** ISO 4217 amendments 176 to 180, newer than the package's list of June 2024. */
const addedSince: ReadonlyArray<readonly [code: string, exponent: number]> = [
  ['XCG', 2],
  ['XAD', 2],
];
const withdrawnSince = ['ANG', 'BGN', 'CUC'];

/**
 * Codes for which ISO 4217 states no minor unit (metals, bond units, test and "no currency"). An amount
 * in them has no exact integer form, so they are not accepted.
 */
const withoutMinorUnit = 'XAG XAU XBA XBB XBC XBD XDR XPD XPT XSU XTS XUA XXX'.split(' ');

const exponents = new Map([
  ...published.data.map(({ code, digits }) => [code, digits] as const),
  ...addedSince,
]);
for (const code of [...withdrawnSince, ...withoutMinorUnit]) exponents.delete(code);

export const findExponent = (currency: string): number | undefined => exponents.get(currency);

/** For currencies that were checked before, such as those of stored orders. */
export function getExponent(currency: string): number {
  const exponent = findExponent(currency);
  if (exponent === undefined) throw new Error(`unknown currency ${currency}`);
  return exponent;
}

/** For amounts in currencies that a provider reports and we do not accept; most have two decimals. */
export const displayExponent = (currency: string): number => exponents.get(currency) ?? 2;

export const currencyCodes: readonly string[] = [...exponents.keys()];
