/** The options for how an account's checkout page looks, and what is printed of them. Contract 14.2. */
import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Account, AccountSettings } from '../../domain/accounts/account.ts';
import { findColour } from '../../domain/accounts/colour.ts';
import { accountLimits } from '../../domain/accounts/limits.ts';
import { findOrigin } from '../../domain/web-address.ts';
import { type OptionSpecs, type OptionValues, UsageError } from '../framework/command.ts';

/** The word that empties the list. */
type Removal = 'off' | 'none';

export function originOption(text: string, removal: Removal) {
  return {
    value: `URL|${removal}`,
    text: `${text} All that are given replace the former ones; ${removal} removes them.`,
    multiple: true,
  } as const;
}

type GivenOrigins = readonly string[] | undefined;

export function readOrigins(option: string, texts: GivenOrigins, removal: Removal) {
  if (texts?.length === 1 && texts[0] === removal) return [];
  const origins = texts?.map((text) => {
    const origin = findOrigin(text);
    if (origin !== undefined) return origin;
    throw new UsageError(
      `--${option} must look like https://shop.example (http only on loopback), or be ${removal}.`,
    );
  });
  return origins && [...new Set(origins)];
}

export const brandingOptions = {
  colour: {
    value: '#RRGGBB|none',
    text: "The colour of the checkout page, in quotes, such as '#0a7cff'. Where it would be hard to read, a darker or lighter shade is used.",
  },
  logo: {
    value: 'FILE|none',
    text: `The logo of the checkout page: a PNG, JPEG or WebP file of at most ${accountLimits.logoBytesMax / 1024} KiB.`,
  },
  'support-email': { value: 'EMAIL|none', text: 'An e-mail address that consumers see.' },
  'support-phone': { value: 'NUMBER|none', text: 'A phone number that consumers see.' },
  'support-url': { value: 'URL|none', text: 'A page for help that consumers see.' },
  'frame-origin': originOption(
    'An origin that may show the checkout page in a frame, such as https://shop.example.',
    'none',
  ),
  'upi-collect': {
    value: 'on|off',
    text: 'Whether consumers may type a UPI id on the checkout page. Off for a new account.',
  },
} as const satisfies OptionSpecs;

type BrandingFlags = Partial<OptionValues<typeof brandingOptions>>;

/** The settings that the options change. The logo is no setting: see `readLogo`. */
export function readBranding(flags: BrandingFlags): Partial<AccountSettings> {
  return {
    colour: unlessNone(flags.colour, readColour),
    supportEmail: unlessNone(flags['support-email'], String),
    supportPhone: unlessNone(flags['support-phone'], String),
    supportUrl: unlessNone(flags['support-url'], String),
    frameOrigins: readOrigins('frame-origin', flags['frame-origin'], 'none'),
    upiCollect: ifGiven(flags['upi-collect'], readUpiCollect),
  };
}

/** The bytes of the logo, null to remove it, undefined to leave it. */
export function readLogo({ logo }: BrandingFlags) {
  return unlessNone(logo, readImage);
}

export function brandingView(account: AccountSettings & Pick<Account, 'logo'>) {
  const { logo } = account;
  return {
    colour: account.colour,
    logo: logo?.digest ?? null,
    logoMediaType: logo?.mediaType ?? null,
    logoBytes: logo?.byteCount ?? null,
    supportEmail: account.supportEmail,
    supportPhone: account.supportPhone,
    supportUrl: account.supportUrl,
    frameOrigins: account.frameOrigins,
    upiCollect: account.upiCollect,
  };
}

/** What an option that is not given would change stays absent. */
export function ifGiven<Given, Value>(given: Given | undefined, read: (given: Given) => Value) {
  return given === undefined ? undefined : read(given);
}

function unlessNone<Value>(given: string | undefined, read: (text: string) => Value) {
  return ifGiven(given, (text) => (text === 'none' ? null : read(text)));
}

function readColour(text: string): string {
  const colour = findColour(text);
  if (colour !== undefined) return colour;
  throw new UsageError("--colour must look like '#0a7cff' or '#07f', in quotes, or be none.");
}

function readUpiCollect(text: string): boolean {
  if (text !== 'on' && text !== 'off') throw new UsageError('--upi-collect must be on or off.');
  return text === 'on';
}

/** The size is looked at first: a large file is refused without being read. */
function readImage(path: string): Buffer {
  const file = resolve(path);
  try {
    const found = statSync(file);
    if (!found.isFile()) throw new UsageError(`--logo must name a file: ${file} is none.`);
    if (found.size > accountLimits.logoBytesMax) {
      const kib = Math.ceil(found.size / 1024);
      throw new UsageError(
        `--logo must name a file of at most ${accountLimits.logoBytesMax / 1024} KiB: ${file} has ${kib} KiB.`,
      );
    }
    return readFileSync(file);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    throw new UsageError(`--logo must name a file that can be read: ${file} cannot (${code}).`);
  }
}
