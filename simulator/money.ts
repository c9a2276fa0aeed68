/** Amounts: the partner uses minor units, the gateway major units. */

type Money = { readonly amount: number; readonly currency: string };

const exponents: Readonly<Record<string, number>> = {
  ...exponentFor(0, 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'),
  ...exponentFor(3, 'BHD IQD JOD KWD LYD OMR TND'),
  ...exponentFor(4, 'CLF UYW'),
};

export const isCurrency = (value: unknown): value is string =>
  typeof value === 'string' && /^[A-Z]{3}$/.test(value);

/** `"10.50"` or `10.5` to 1050; undefined if it is not an amount of that currency. */
export function minorOf(major: unknown, currency: string): number | undefined {
  const match = /^(\d{1,13})(?:\.(\d+?)0*)?$/.exec(`${major}`);
  if (!match) return undefined;
  const exponent = exponentOf(currency);
  const fraction = match[2] === '0' ? '' : (match[2] ?? '');
  return fraction.length > exponent
    ? undefined
    : Number(`${match[1]}${fraction.padEnd(exponent, '0')}`);
}

/** 1050 to `10.50`. */
export function majorText(minor: number, currency: string): string {
  const exponent = exponentOf(currency);
  const digits = String(minor).padStart(exponent + 1, '0');
  return exponent === 0 ? digits : `${digits.slice(0, -exponent)}.${digits.slice(-exponent)}`;
}

/** `INR 10.50`, for display. */
export function amountText({ amount, currency }: Money): string {
  return `${currency} ${majorText(amount, currency)}`;
}

export function majorNumber(minor: number, currency: string): number {
  return Number(majorText(minor, currency));
}

function exponentOf(currency: string): number {
  return exponents[currency] ?? 2;
}

function exponentFor(exponent: number, currencies: string): Record<string, number> {
  return Object.fromEntries(currencies.split(' ').map((currency) => [currency, exponent]));
}
