/** How a shop looks on the pages of its consumers. */
import type { Account } from '../../domain/accounts/account.ts';
import { shadesOf } from '../../domain/accounts/colour.ts';

export type Brand = Pick<
  Account,
  'colour' | 'supportEmail' | 'supportPhone' | 'supportUrl' | 'frameOrigins'
> & {
  readonly shopName: string;
  readonly logoUrl?: string;
};

export function brandOf(account: Account, basePath: string): Brand {
  const { accountId, name, logo } = account;
  return {
    colour: account.colour,
    supportEmail: account.supportEmail,
    supportPhone: account.supportPhone,
    supportUrl: account.supportUrl,
    frameOrigins: account.frameOrigins,
    shopName: name,
    ...(logo && { logoUrl: `${basePath}/checkout/logo/${accountId}/${logo.digest}` }),
  };
}

/** The shop's colour in both schemes, as variables of the style sheet. */
export function brandStyle(brand: Pick<Brand, 'colour'> | undefined): string {
  const { light, dark } = shadesOf(brand?.colour ?? null);
  const variables = Object.entries({ light, dark }).map(
    ([scheme, { button, onButton, text }]) =>
      `--button-${scheme}:${button};--on-button-${scheme}:${onButton};--accent-${scheme}:${text};`,
  );
  return `:root{${variables.join('')}}`;
}
